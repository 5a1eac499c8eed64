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
    for (const Request& request : {build, archs, toolkit, required})
        CHECK(wanted(FakeHost(), {torch}, request));
    CHECK_FALSE(wanted(FakeHost(), {torch}, frameworks));
}

TEST_CASE("a package with CUDA code is what a machine is for, without a framework too") {
    for (const bool named : {false, true}) {
        Scenario scenario;
        NativeModule module;
        module.package = "ctranslate2";
        module.named = named;  // --module says nothing of the machine
        scenario.modules = {module};
        decide_intent(FakeHost(), Facts::embedded(), {}, scenario);
        CHECK(scenario.project.wanted == named);
    }
}

TEST_CASE("a program that lacks a library of CUDA is what its machine is for") {
    Scenario scenario;
    NativeModule module;
    module.named = module.of_program = true;
    module.missing.resize(1);
    scenario.modules = {module};
    decide_intent(FakeHost(), Facts::embedded(), {}, scenario);
    CHECK_FALSE(scenario.project.wanted);
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

TEST_CASE("a toolkit beside packages that are no framework and lack nothing is not built with") {
    Scenario scenario;
    scenario.toolkits.resize(1);
    scenario.package_libraries.resize(1);
    decide_intent(FakeHost(), Facts::embedded(), {}, scenario);
    CHECK_FALSE(scenario.project.by_default);
    CHECK_FALSE(scenario.project.wanted);
    scenario.package_libraries.clear();
    decide_intent(FakeHost(), Facts::embedded(), {}, scenario);
    CHECK(scenario.project.by_default);
    // So is a program that uses CUDA; one of which nothing is known to use it is not.
    scenario.modules.resize(1);
    scenario.modules[0].named = scenario.modules[0].of_program = true;
    decide_intent(FakeHost(), Facts::embedded(), {}, scenario);
    CHECK(scenario.project.by_default);
    scenario.modules[0].found = 2;
    decide_intent(FakeHost(), Facts::embedded(), {}, scenario);
    CHECK_FALSE(scenario.project.by_default);
}

TEST_CASE("without a framework that uses CUDA the toolkit is checked") {
    CHECK(wanted(FakeHost(), {}));
    Expectation cpu = framework("PyTorch");
    cpu.cpu_only = {true, {}};
    CHECK(wanted(FakeHost(), {cpu}));
}

namespace {

Request project_request(bool only_with_torch_cuda = false) {
    Request request;
    request.project =
        BuiltProject{{"setup.py builds a CUDA extension", Origin::from_file("/src/setup.py", 4)}, true};
    request.project->only_if_cuda = only_with_torch_cuda;
    return request;
}

Scenario decided(const Request& request, std::vector<Gpu> gpus, const char* archs = "") {
    Scenario scenario;
    scenario.expectations = {framework("PyTorch")};
    scenario.gpus = std::move(gpus);
    if (*archs) scenario.project.archs_text = {archs, Origin::from_option("--arch")};
    decide_intent(FakeHost(), Facts::embedded(), request, scenario);
    return scenario;
}

Gpu gpu(int number, bool declared) {
    Gpu one;
    one.arch = {Arch{number, 0}, {}};
    one.declared = declared;
    return one;
}

}  // namespace

TEST_CASE("a project that compiles device code requests a build") {
    const Scenario scenario = decided(project_request(), {});
    CHECK(scenario.project.wanted);
    CHECK_FALSE(scenario.project.asked);
    CHECK(*scenario.project.built_by == "setup.py builds a CUDA extension");
    CHECK(scenario.project.torch_builds);
}

TEST_CASE("a project that links PyTorch requests one only with a CUDA build of it") {
    Expectation torch = framework("PyTorch");
    torch.package = "torch";
    CHECK(wanted(FakeHost(), {torch}, project_request(true)));
    torch.cpu_only = {true, {}};
    Expectation jax = framework("JAX");
    CHECK_FALSE(wanted(FakeHost(), {torch, jax}, project_request(true)));
    CHECK(wanted(FakeHost(), {torch, jax}, project_request(false)));
}

TEST_CASE("without a list, PyTorch builds for the GPUs, and PTX of the newest") {
    CHECK(*decided(project_request(), {gpu(90, false), gpu(80, false), gpu(90, false)}).project.archs_text ==
          "8.0;9.0+PTX");
    CHECK(*decided(project_request(), {gpu(90, false), gpu(89, true)}).project.archs_text == "8.9+PTX");
    CHECK(*decided(project_request(), {gpu(90, false)}, "80").project.archs_text == "80");
    CHECK_FALSE(decided(project_request(), {}).project.archs_text);
    CHECK_FALSE(decided({}, {gpu(90, false)}).project.archs_text);
}

TEST_CASE("what the project's files select replaces the variable's list, and what they leave open is said") {
    Request request = project_request();
    request.project->archs = {{{Arch{52, 0}, true, false}}, {}, "52"};
    request.project->archs_origin = Origin::from_file("/src/CMakeLists.txt", 10);
    request.project->archs_origin.variable = "CMAKE_CUDA_ARCHITECTURES";
    CHECK(*decided(request, {gpu(90, false)}).project.archs_text == "52");
    CHECK(decided(request, {}).project.archs_text.origin.line == 10);
    request.archs = "80";
    CHECK(*decided(request, {}, "80").project.archs_text == "80");

    Request open = project_request();
    open.project->open = {"CUDA_ARCHITECTURES in CMakeLists.txt:8", {}};
    CHECK_FALSE(decided(open, {gpu(90, false)}, "80").project.archs_text);
    CHECK(*decided(open, {gpu(90, false)}).project.archs_open == "CUDA_ARCHITECTURES in CMakeLists.txt:8");
    CHECK(*decided(project_request(), {}).project.archs_open == "the GPUs that PyTorch finds when it builds");
    CHECK_FALSE(decided(project_request(), {gpu(90, false)}).project.archs_open);

    // CUDA that needs an option is a build only with --build.
    Request optional = project_request();
    optional.project->only_with = {"USE_CUDA in CMakeLists.txt:6", {}};
    optional.project->archs = {{{Arch{52, 0}, true, false}}, {}, "52"};
    CHECK(*decided(optional, {}).project.archs_open == "USE_CUDA in CMakeLists.txt:6");
    CHECK_FALSE(decided(optional, {}).project.built_by);
    CHECK_FALSE(decided(optional, {}, "80").project.archs_open);
    optional.build = true;
    CHECK(*decided(optional, {}).project.archs_text == "52");

    // Without a GPU its builder fails, if no condition of the setup.py avoids it.
    CHECK_FALSE(decided(project_request(), {}).project.lacks_gpu);
    Request always = project_request();
    always.project->always = true;
    CHECK(decided(always, {}).project.lacks_gpu);
    CHECK_FALSE(decided(always, {gpu(90, false)}).project.lacks_gpu);
    CHECK_FALSE(decided(always, {}, "80").project.lacks_gpu);
}

TEST_CASE("a build is requested by an option or a variable, not by a toolkit, and by CMake with its nvcc") {
    const auto requested = [](const FakeHost& host, const Request& request) {
        Scenario scenario;
        decide_intent(host, Facts::embedded(), request, scenario);
        return scenario.project.requested;
    };
    Request build, cmake;
    build.build = true;
    cmake.build = cmake.from_cmake = true;
    CHECK_FALSE(requested(FakeHost(), {}));
    CHECK(requested(FakeHost(), build));
    CHECK(requested(with("CUDAARCHS", "80"), {}));
    CHECK_FALSE(requested(FakeHost(), cmake));
    cmake.cmake_nvcc = "/usr/bin/nvcc";
    CHECK(requested(FakeHost(), cmake));
}
