// What requests a build.
// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

#include "worlds.hpp"

using namespace ptxguard;
using namespace worlds;

namespace {

Expectation framework(const char* name) {
    Expectation one;
    one.framework = name;
    one.path = "/site/" + std::string(name);
    return one;
}

bool wanted(const FakeHost& host, const std::vector<Expectation>& frameworks, const Request& request = {},
            System system = System::linux_) {
    Scenario scenario;
    scenario.system = system;
    scenario.expectations = frameworks;
    decide_intent(host, Facts::embedded(), request, scenario);
    return scenario.project.wanted;
}

FakeHost with(const char* variable, const char* value) {
    FakeHost host;
    host.env(variable, value);
    return host;
}

}  // namespace

TEST_CASE("next to a framework a toolkit is checked only on request") {
    const Expectation torch = framework("PyTorch");
    CHECK_FALSE(wanted(FakeHost(), {torch}));
    Request build, archs, toolkit, required, frameworks;
    build.build = true;
    archs.archs = "80";
    toolkit.toolkits = {"/usr/local/cuda"};
    required.require = {"toolkit"};
    frameworks.frameworks = {"torch"};
    frameworks.require = {"driver"};
    for (const Request& request : {build, archs, toolkit, required}) CHECK(wanted(FakeHost(), {torch}, request));
    CHECK_FALSE(wanted(FakeHost(), {torch}, frameworks));
}

TEST_CASE("variables that an installed program reads request a build") {
    const Expectation torch = framework("PyTorch"), jax = framework("JAX"),
                      tensorflow = framework("TensorFlow");
    for (const char* name : {"CUDA_HOME", "TORCH_CUDA_ARCH_LIST", "CUDA_PATH"}) {
        CAPTURE(name);
        CHECK(wanted(with(name, "/x"), {torch}));
        CHECK_FALSE(wanted(with(name, "/x"), {jax}));
        CHECK_FALSE(
            wanted(with(name, "/x"), {tensorflow}));  // its custom operators are built with the nvcc on PATH
        CHECK_FALSE(wanted(with(name, ""), {torch}));
    }
    CHECK(wanted(with("PADDLE_CUDA_ARCH_LIST", "8.0"), {framework("PaddlePaddle")}));
    CHECK_FALSE(wanted(with("PADDLE_CUDA_ARCH_LIST", "8.0"), {torch}));
    CHECK(wanted(with("CUDACXX", "/usr/bin/nvcc"), {jax}));
    // NVIDIA's installer always sets it.
    CHECK_FALSE(wanted(with("CUDA_PATH", "C:/CUDA"), {torch}, {}, System::windows));
}

TEST_CASE("without a framework that uses CUDA the toolkit is checked") {
    CHECK(wanted(FakeHost(), {}));
    Expectation cpu = framework("PyTorch");
    cpu.cpu_only = {true, {}};
    CHECK(wanted(FakeHost(), {cpu}));
}
