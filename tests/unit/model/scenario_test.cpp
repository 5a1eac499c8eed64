// SPDX-License-Identifier: Apache-2.0
#include "model/scenario.hpp"

#include <doctest/doctest.h>

using namespace ptxguard;

TEST_CASE("a trace is of the framework that its file lies in, else of the first of that name") {
    Scenario scenario;
    for (const char* path : {"/s/torch", "/s/torch-next", ""}) {
        Expectation framework;
        framework.framework = "PyTorch";
        framework.path = path;
        scenario.expectations.push_back(framework);
    }
    const auto framework_of = [&](const char* framework, const char* path) {
        LoadTrace trace;
        trace.framework = framework;
        trace.path = path;
        return scenario.framework_of(trace);
    };
    CHECK(framework_of("PyTorch", "/s/torch-next/lib/libtorch_cuda.so") == &scenario.expectations[1]);
    CHECK(framework_of("PyTorch", "/s/torch_plugin/lib.so") == &scenario.expectations[0]);
    CHECK(framework_of("JAX", "/s/torch/lib.so") == nullptr);
    CHECK(framework_of("", "/s/torch/lib.so") == nullptr);
}
