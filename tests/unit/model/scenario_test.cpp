// SPDX-License-Identifier: Apache-2.0
#include "model/scenario.hpp"

#include <doctest/doctest.h>

using namespace ptxguard;

TEST_CASE("a trace belongs to the framework for which it was made, otherwise to the first of that name") {
    Scenario scenario;
    for (const char* path : {"/s/torch", "/s/torch-next", ""}) {
        Expectation framework;
        framework.framework = "PyTorch";
        framework.path = path;
        scenario.expectations.push_back(framework);
    }
    const auto framework_of = [&](const char* framework, const char* folder) {
        LoadTrace trace;
        trace.traced_for.emplace().framework = framework;
        trace.traced_for->framework_folder = folder;
        return scenario.framework_of(trace);
    };
    CHECK(framework_of("PyTorch", "/s/torch-next") == &scenario.expectations[1]);
    CHECK(framework_of("PyTorch", "") == &scenario.expectations[0]);
    CHECK(framework_of("JAX", "/s/torch") == nullptr);
    CHECK(framework_of("", "/s/torch") == nullptr);
}
