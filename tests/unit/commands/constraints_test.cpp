// What later installs are told to keep.
// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

#include "commands/constraints.hpp"
#include "host/fake_host.hpp"

using namespace ptxguard;

namespace {

using Lines = std::vector<std::string>;

Expectation installed_framework(const std::string& package) {
    Expectation one;
    one.package = package;
    one.site = "/site";
    return one;
}

void record(FakeHost& host, const std::string& name, const std::string& version, const Lines& required) {
    std::string text = "Name: " + name + "\nVersion: " + version + "\n";
    for (const std::string& line : required) text += "Requires-Dist: " + line + "\n";
    host.file("/site/" + name + "-" + version + ".dist-info/METADATA", text + "\n");
}

Lines planned(const char* package, const char* version, const char* cuda, const char* gpu) {
    Scenario machine;
    Gpu one;
    one.arch = {*parse_arch(gpu), {}};
    machine.gpus.push_back(one);
    Step step{StepKind::framework};
    step.subject = step.package = package;
    step.version = *parse_version(version);
    step.cuda = parse_version(cuda);
    static const Facts facts = Facts::embedded();
    return planned_constraints(step, machine, facts);
}

}  // namespace

TEST_CASE("kept are the framework, what it pins or needs of NVIDIA, and what is built for it") {
    FakeHost host;
    record(host, "torch", "2.11.0+cu130",
           {"filelock", "triton==3.6.0; platform_system == \"Linux\"", "nvidia-cudnn-cu13==9.19.0.56",
            "cuda-toolkit[cublas]==13.0.2", "opt-einsum>=3.3; extra == \"opt-einsum\""});
    record(host, "filelock", "3.13", {});
    record(host, "opt_einsum", "3.4", {});
    record(host, "triton", "3.6.0", {});
    record(host, "nvidia_cudnn_cu13", "9.20.0.48", {"nvidia-cublas"});  // pip replaced it: kept as it is
    record(host, "nvidia_cublas", "13.1.0.3", {});
    record(host, "cuda_toolkit", "13.0.2",
           {"nvidia-cublas==13.1.0.3; extra == \"cublas\"", "nvidia-cufft==12.0.0.61; extra == \"cufft\""});
    record(host, "torchvision", "0.26.0+cu130", {"torch==2.11.0"});
    Scenario scenario;
    scenario.expectations.push_back(installed_framework("torch"));
    InstalledCompanion companion;
    companion.package = "torchvision";
    scenario.expectations[0].companions.push_back(companion);
    CHECK(installed_constraints(host, scenario) ==
          Lines{"cuda-toolkit==13.0.2", "nvidia-cublas==13.1.0.3", "nvidia-cudnn-cu13==9.20.0.48",
                "torch==2.11.0+cu130", "torchvision==0.26.0+cu130", "triton==3.6.0"});
    scenario.expectations[0].declared = true;
    CHECK(installed_constraints(host, scenario).empty());
}

TEST_CASE("a version that is none adds no line") {
    FakeHost host;
    record(host, "torch", "2.11.0 --index-url=http", {});
    Scenario scenario;
    scenario.expectations.push_back(installed_framework("torch"));
    CHECK(installed_constraints(host, scenario).empty());
}

TEST_CASE("a planned build: what PyPI's build pins, and bounds for the GPU") {
    const Lines torch = planned("torch", "2.11.0", "13.0", "100");
    CHECK(std::find(torch.begin(), torch.end(), "torch==2.11.0") != torch.end());
    CHECK(std::find(torch.begin(), torch.end(), "nvidia-cudnn-cu13==9.19.0.56") != torch.end());
    CHECK(planned("torch", "2.11.0+cu126", "12.6", "61") ==
          Lines{"torch==2.11.0+cu126"});  // of another index
    CHECK(planned("onnxruntime-gpu", "1.22.0", "12.8", "70") ==
          Lines{"nvidia-cudnn-cu12<9.11", "onnxruntime-gpu==1.22.0"});
}
