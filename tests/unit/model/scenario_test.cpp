// SPDX-License-Identifier: Apache-2.0
#include "model/scenario.hpp"

#include <doctest/doctest.h>

#include "model/matrix.hpp"

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

TEST_CASE("what the user required is one of the words of --require") {
    Scenario scenario;
    CHECK_FALSE(scenario.requires_("driver"));
    scenario.require = {"framework", "driver"};
    CHECK(scenario.requires_("framework"));
    CHECK(scenario.requires_("driver"));
    CHECK_FALSE(scenario.requires_("gpu"));
}

TEST_CASE("an origin is shown by its text, else by its kind") {
    Origin origin = Origin::from_file("a.txt");
    CHECK(origin.for_people() == "a.txt");
    origin.line = 1;
    CHECK(origin.for_people() == "a.txt:1");
    CHECK(origin.shown_as("line one").for_people() == "line one");
    origin.kind = OriginKind::table;
    CHECK(origin.for_people() == "a.txt");
    origin.kind = OriginKind::command;
    CHECK(origin.for_people() == "a.txt");
    origin.command = "nvcc --version";
    CHECK(origin.for_people() == "nvcc --version");
    origin.kind = OriginKind::variable;
    CHECK(origin.for_people() == "a.txt");
    origin.variable = "CUDA_HOME";
    CHECK(origin.for_people() == "from CUDA_HOME");
}

TEST_CASE("a program is named without the end that Windows gives it, whatever else its name is") {
    const auto named = [](const char* path) {
        Consumer consumer;
        consumer.kind = ConsumerKind::ptxas;
        consumer.path = path;
        return name_of(consumer);
    };
    CHECK(named("/opt/cuda/bin/ptxas") == "ptxas");
    CHECK(named("C:/CUDA/bin/ptxas-blackwell.exe") == "ptxas-blackwell");
    CHECK(named("C:/CUDA/bin/x.exe") == "x");
    CHECK(named("C:/CUDA/bin/.exe") == ".exe");
    CHECK(named("/b/exe") == "exe");
}
