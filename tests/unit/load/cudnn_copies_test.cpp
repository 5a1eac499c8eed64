// Copies of cuDNN as installers leave them. The files are not ELF files here: their own versions are tested
// with library_facts.
// SPDX-License-Identifier: Apache-2.0
#include "load/cudnn_copies.hpp"

#include <doctest/doctest.h>

#include "host/fake_host.hpp"

namespace ptxguard {
namespace {

const char* const k_parts[] = {"cudnn",
                               "cudnn_graph",
                               "cudnn_ops",
                               "cudnn_cnn",
                               "cudnn_adv",
                               "cudnn_heuristic",
                               "cudnn_engines_precompiled",
                               "cudnn_engines_runtime_compiled"};

void lay_linux(FakeHost& host, const std::string& folder) {
    for (const std::string part : k_parts) host.file(folder + "/lib" + part + ".so.9", "x");
}

std::string header(const char* major, const char* minor, const char* patch) {
    return std::string("#define CUDNN_MAJOR ") + major + "\n#define CUDNN_MINOR " + minor +
           "\n#define CUDNN_PATCHLEVEL " + patch + "\n";
}

void lay_wheel(FakeHost& host, const std::string& site, const std::string& name, const std::string& version) {
    std::string record;
    for (const std::string part : k_parts) {
        host.file(site + "/nvidia/cudnn/lib/lib" + part + ".so.9", "x");
        record += "nvidia/cudnn/lib/lib" + part + ".so.9,sha256=x,1\n";
    }
    const std::string info = site + "/" + name + "-" + version + ".dist-info";
    host.file(info + "/RECORD", record);
    host.file(info + "/METADATA", "Metadata-Version: 2.1\nName: " + name + "\nVersion: " + version + "\n\n");
}

Scenario with_framework(const std::string& site) {
    Scenario scenario;
    Expectation torch;
    torch.framework = "PyTorch";
    torch.package = "torch";
    torch.path = site + "/torch";
    torch.site = site;
    scenario.expectations.push_back(torch);
    return scenario;
}

std::string text(const Known<Version>& version) { return version ? version->text : "-"; }

}  // namespace

TEST_CASE("a system copy has its version from the header and all its parts") {
    FakeHost host;
    lay_linux(host, "/usr/lib/x86_64-linux-gnu");
    host.link("/usr/lib/x86_64-linux-gnu/libcudnn.so", "libcudnn.so.9");
    host.file("/usr/include/cudnn_version.h", header("9", "1", "0"));
    Scenario scenario;
    find_cudnn_copies(host, Facts::embedded(), scenario);
    REQUIRE(scenario.cudnns.size() == 1);
    const CudnnCopy& copy = scenario.cudnns.front();
    CHECK(copy.folder == "/usr/lib/x86_64-linux-gnu");
    CHECK(copy.source == "system");
    CHECK(copy.major == 9);
    CHECK(text(copy.version) == "9.1.0");
    CHECK(text(copy.header) == "9.1.0");
    CHECK(copy.libraries.size() == 8);
    CHECK(copy.missing.empty());
    CHECK(text(copy.cuda) == "-");
}

TEST_CASE("a wheel has its release and the CUDA that it was built for") {
    FakeHost host;
    lay_wheel(host, "/site", "nvidia_cudnn_cu12", "9.10.2.21");
    Scenario scenario = with_framework("/site");
    find_cudnn_copies(host, Facts::embedded(), scenario);
    REQUIRE(scenario.cudnns.size() == 1);
    CHECK(scenario.cudnns.front().source == "wheel");
    CHECK(text(scenario.cudnns.front().package) == "9.10.2.21");
    CHECK(text(scenario.cudnns.front().version) == "9.10.2.21");
    CHECK(text(scenario.cudnns.front().cuda) == "12");
}

TEST_CASE(
    "parts missing from that release's set are reported, and a wheel that is small on purpose is whole") {
    FakeHost host;
    lay_linux(host, "/usr/lib64");
    // 9.22 added two more parts.
    host.file("/usr/include/cudnn_version.h", header("9", "22", "0"));
    Scenario scenario;
    find_cudnn_copies(host, Facts::embedded(), scenario);
    REQUIRE(scenario.cudnns.size() == 1);
    CHECK(scenario.cudnns.front().missing ==
          std::vector<std::string>{});  // a header alone may be of another copy
    FakeHost jit;
    jit.file("/site/nvidia/cudnn/lib/libcudnn.so.9", "x")
        .file("/site/nvidia/cudnn/lib/libcudnn_graph.so.9", "x");
    jit.file("/site/nvidia_cudnn_jit_cu12-9.12.0.46.dist-info/RECORD",
             "nvidia/cudnn/lib/libcudnn.so.9,,1\nnvidia/cudnn/lib/libcudnn_graph.so.9,,1\n");
    jit.file("/site/nvidia_cudnn_jit_cu12-9.12.0.46.dist-info/METADATA",
             "Metadata-Version: 2.1\nName: nvidia-cudnn-jit-cu12\nVersion: 9.12.0.46\n\n");
    Scenario small = with_framework("/site");
    find_cudnn_copies(jit, Facts::embedded(), small);
    REQUIRE(small.cudnns.size() == 1);
    CHECK(small.cudnns.front().missing.empty());
}

TEST_CASE("a wheel with a part removed is incomplete") {
    FakeHost host;
    lay_wheel(host, "/site", "nvidia_cudnn_cu12", "9.22.0.52");
    Scenario scenario = with_framework("/site");
    find_cudnn_copies(host, Facts::embedded(), scenario);
    REQUIRE(scenario.cudnns.size() == 1);
    CHECK(scenario.cudnns.front().missing ==
          std::vector<std::string>{"libcudnn_engines_tensor_ir.so.9", "libcudnn_ext.so.9"});
}

TEST_CASE("two majors in one folder are two copies, and one folder by two names is one copy") {
    FakeHost host;
    lay_linux(host, "/usr/lib64");
    host.file("/usr/lib64/libcudnn.so.8.9.7", "x").link("/usr/lib64/libcudnn.so.8", "libcudnn.so.8.9.7");
    host.link("/opt/libs", "/usr/lib64").env("LD_LIBRARY_PATH", "/opt/libs:relative:/not/there");
    Scenario scenario;
    find_cudnn_copies(host, Facts::embedded(), scenario);
    REQUIRE(scenario.cudnns.size() == 2);
    CHECK(scenario.cudnns[0].major == 8);
    CHECK(text(scenario.cudnns[0].version) == "8.9.7");
    CHECK(scenario.cudnns[1].major == 9);
    CHECK(scenario.cudnns[0].source == "search path");
}

TEST_CASE("a header of another major is ignored") {
    FakeHost host;
    lay_linux(host, "/usr/lib64");
    host.file("/usr/include/cudnn_version.h", header("8", "9", "7"));
    Scenario scenario;
    find_cudnn_copies(host, Facts::embedded(), scenario);
    REQUIRE(scenario.cudnns.size() == 1);
    CHECK(text(scenario.cudnns.front().header) == "-");
    CHECK(text(scenario.cudnns.front().version) == "-");
}

TEST_CASE("CUDA comes from the folder of the Windows installer, the release from conda's record") {
    FakeHost windows(System::windows);
    windows.file("C:/Program Files/NVIDIA/CUDNN/v9.5/bin/12.6/cudnn64_9.dll", "x");
    windows.file("C:/Program Files/NVIDIA/CUDNN/v9.5/bin/12.6/cudnn_graph64_9.dll", "x");
    windows.file("C:/Program Files/NVIDIA/CUDNN/v9.5/bin/11.8/cudnn64_9.dll", "x");
    windows.file("C:/Program Files/NVIDIA/CUDNN/v9.5/include/12.6/cudnn_version.h", header("9", "5", "1"));
    Scenario scenario;
    scenario.system = System::windows;
    find_cudnn_copies(windows, Facts::embedded(), scenario);
    REQUIRE(scenario.cudnns.size() == 2);
    CHECK(text(scenario.cudnns[0].cuda) == "12.6");
    CHECK(text(scenario.cudnns[0].header) == "9.5.1");
    CHECK(scenario.cudnns[0].libraries.size() == 2);
    CHECK(text(scenario.cudnns[1].cuda) == "11.8");
    CHECK(scenario.cudnns[1].source == "installer");

    FakeHost conda;
    conda.file("/env/lib/libcudnn.so.9", "x").env("CONDA_PREFIX", "/env");
    conda.file("/env/conda-meta/libcudnn-9.10.1.4-h1_0.json",
               R"({"name":"libcudnn","version":"9.10.1.4","files":["lib/libcudnn.so.9"]})");
    Scenario env;
    find_cudnn_copies(conda, Facts::embedded(), env);
    REQUIRE(env.cudnns.size() == 1);
    CHECK(env.cudnns.front().source == "conda");
    CHECK(text(env.cudnns.front().version) == "9.10.1.4");
}

TEST_CASE("a trace that resolves to the files gets the CUDA of their copy, whatever the path") {
    FakeHost host;
    lay_wheel(host, "/site", "nvidia_cudnn_cu13", "9.19.0.56");
    host.file("/site/torch/lib/libtorch_cuda.so", "x");
    Scenario scenario = with_framework("/site");
    LoadTrace trace;
    trace.traced_for.emplace().framework = "PyTorch";
    LoadedFile library;
    library.name = "libcudnn.so.9";
    library.library = "cudnn";
    library.taken = "/site/torch/lib/../../nvidia/cudnn/lib/libcudnn.so.9";
    trace.libraries.push_back(library);
    scenario.traces.push_back(trace);
    find_cudnn_copies(host, Facts::embedded(), scenario);
    REQUIRE(scenario.cudnns.size() == 1);
    CHECK(scenario.cudnns.front().loaded_by == std::vector<std::string>{"PyTorch"});
    CHECK(text(scenario.traces[0].libraries[0].cuda) == "13");
}

TEST_CASE("a copy in a default folder without programs counts, as for a missing library") {
    for (const char* folder :
         {"/usr/local/cuda-12.4/lib64", "/opt/cuda/targets/x86_64-linux/lib", "/named/lib64"}) {
        FakeHost host;
        host.file(std::string(folder) + "/libcudnn.so.9", "x")
            .env("CUDA_PATH", "/named")
            .env("CUDNN_VERSION", "9.1");
        Scenario scenario;
        find_cudnn_copies(host, Facts::embedded(), scenario);
        REQUIRE(scenario.cudnns.size() == 1);
        CHECK(scenario.cudnns[0].source == "toolkit");
    }
}

TEST_CASE("a copy among Python's packages counts even without a framework") {
    FakeHost host;
    lay_wheel(host, "/site", "nvidia_cudnn_cu13", "9.19.0.56");
    Scenario scenario;
    find_cudnn_copies(host, Facts::embedded(), scenario);
    CHECK(scenario.cudnns.empty());
    scenario.python.places = {{"/site"}, {"/elsewhere"}};
    find_cudnn_copies(host, Facts::embedded(), scenario);
    REQUIRE(scenario.cudnns.size() == 1);
    CHECK(scenario.cudnns.front().folder == "/site/nvidia/cudnn/lib");
    CHECK(scenario.cudnns.front().source == "wheel");
}

}  // namespace ptxguard
