// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

#include "../load/linux_world.hpp"
#include "runtime/traces.hpp"

namespace ptxguard {
namespace {

const std::string k_venv = "/venv/lib/python3.11/site-packages";
const std::string k_other = "/other/lib/python3.11/site-packages";

void install(built::LinuxWorld& host, const std::string& site, const std::string& package,
             const std::string& version, const std::string& file, const std::string& requires_ = {}) {
    const std::string folder = site + "/" + package + "-" + version + ".dist-info/";
    host.file(folder + "METADATA",
              "Metadata-Version: 2.1\nName: " + package + "\nVersion: " + version + "\n" + requires_);
    host.file(folder + "RECORD", file + ",,\n");
    host.file(site + "/" + file, "x");
}

LoadedFile taken(const std::string& library, const std::string& path, const std::string& cuda) {
    LoadedFile file;
    file.library = library;
    file.taken = path;
    file.cuda.value = parse_version(cuda);
    return file;
}

// cuSPARSE 12.8 of the framework's environment, which pins nvJitLink 12.4 next to it; the loader finds this
// one.
bool both_are_pinned(const std::string& site, const std::string& version) {
    built::LinuxWorld host;
    const std::string sparse = "nvidia/cusparse/lib/libcusparse.so.12",
                      link = "nvidia/nvjitlink/lib/libnvJitLink.so.12";
    install(
        host, k_venv, "torch", "2.6.0", "torch/__init__.py",
        "Requires-Dist: nvidia-cusparse-cu12==12.5.8.93\nRequires-Dist: nvidia-nvjitlink-cu12==12.4.127\n");
    install(host, k_venv, "nvidia_cusparse_cu12", "12.5.8.93", sparse);
    install(host, k_venv, "nvidia_nvjitlink_cu12", "12.4.127", link);
    install(host, site, "nvidia_nvjitlink_cu12", version, link);
    Expectation torch;
    torch.framework = "PyTorch";
    torch.package = "torch";
    torch.site = k_venv;
    LoadTrace trace;
    trace.traced_for.emplace();
    trace.libraries = {taken("cusparse", k_venv + "/" + sparse, "12.8"),
                       taken("nvJitLink", site + "/" + link, "12.4")};
    compare_with_packages(host, Facts::embedded(), torch, {}, trace);
    CHECK(trace.libraries[0].pinned);
    return trace.libraries[0].pinned && trace.libraries[1].pinned;
}

}  // namespace

TEST_CASE("a package in another folder of the same Python is not absent: lib and lib64 of an environment") {
    built::LinuxWorld host;
    const std::string lib64 = "/venv/lib64/python3.11/site-packages";
    install(host, lib64, "torch", "2.9.0", "torch/__init__.py",
            "Requires-Dist: nvidia-cudnn-cu12==9.10.2.21\n");
    install(host, k_venv, "nvidia_cudnn_cu12", "9.10.2.21", "nvidia/cudnn/lib/libcudnn.so.9");
    Expectation torch;
    torch.framework = "PyTorch";
    torch.package = "torch";
    torch.site = lib64;
    for (const bool same_python : {true, false}) {
        LoadTrace trace;
        trace.traced_for.emplace();
        const auto others = same_python ? std::vector<std::string>{k_venv} : std::vector<std::string>{};
        compare_with_packages(host, Facts::embedded(), torch, {}, trace, others);
        CHECK(trace.traced_for->absent_packages.empty() == same_python);
    }
}

TEST_CASE("the package that has the files is named instead of a placeholder of PyPI") {
    built::LinuxWorld host;
    install(host, k_venv, "onnxruntime_gpu", "1.27.0", "onnxruntime/__init__.py",
            "Requires-Dist: nvidia-cufft-cu13~=12.0; extra == 'cuda'\n"
            "Requires-Dist: nvidia-curand-cu13~=10.0; extra == 'cuda'\n"
            "Requires-Dist: nvidia-cudnn-cu13~=9.0; extra == 'cudnn'\n");
    install(host, k_venv, "nvidia_curand", "10.4.0.35", "nvidia/cu13/lib/libcurand.so.10");
    Expectation runtime;
    runtime.framework = "ONNXRuntime";
    runtime.package = "onnxruntime-gpu";
    runtime.site = k_venv;
    LoadTrace trace;
    trace.traced_for.emplace();
    compare_with_packages(host, Facts::embedded(), runtime, {}, trace);
    const std::vector<std::string> absent{"nvidia-cufft~=12.0", "nvidia-cudnn-cu13~=9.0"};
    CHECK(trace.traced_for->absent_packages == absent);
}

TEST_CASE("a library is pinned if the file that the loader finds is of the pinned release") {
    CHECK(both_are_pinned(k_venv, "12.4.127"));
    CHECK(both_are_pinned(k_other, "12.4.127"));
    CHECK_FALSE(both_are_pinned(k_other, "12.0.140"));
}

TEST_CASE("a package is half removed if its record lists a missing library that is gone") {
    built::LinuxWorld host;
    const std::string library = "nvidia/cuda_runtime/lib/libcudart.so.12";
    install(host, k_venv, "nvidia_cuda_runtime_cu12", "12.4.127", library);
    const std::string record = k_venv + "/nvidia_cuda_runtime_cu12-12.4.127.dist-info";
    Expectation torch;
    torch.package = "torch";
    torch.site = k_venv;
    PackageFiles read{record, "nvidia-cuda-runtime-cu12", k_venv, {k_venv + "/" + library}, {2}, {}};
    const auto half_removed = [&](const std::vector<PackageFiles>& files) {
        LoadTrace trace;
        trace.traced_for.emplace();
        trace.libraries.resize(1);
        trace.libraries[0].name = "libcudart.so.12";
        trace.libraries[0].library = "cudart";
        compare_with_packages(host, Facts::embedded(), torch, files, trace);
        return trace.traced_for->half_removed.size();
    };
    CHECK(half_removed({read}) == 1);  // of another size
    read.sizes = {1};
    CHECK(half_removed({read}) == 0);
    CHECK(half_removed({}) == 0);
    host.file(record + "/RECORD", library + ",,2\n");
    CHECK(half_removed({}) == 1);
}

TEST_CASE("the interpreter's DT_RPATH is searched for what a framework needs, as conda's is") {
    for (const bool conda : {true, false}) {
        CAPTURE(conda);
        built::LinuxWorld host;
        const std::string site = "/conda/lib/python3.11/site-packages";
        host.program("/conda/bin/python3.11", {}, conda ? built::with_rpath("$ORIGIN/../lib") : built::Elf());
        host.library("/conda/lib/libnccl.so.2");
        host.library(site + "/torch/lib/libtorch_global_deps.so", {"libnccl.so.2"});
        host.library(site + "/torch/lib/libtorch_cuda.so", {"libnccl.so.2"});
        Scenario scenario;
        scenario.python.path = "/conda/bin/python3.11";
        scenario.python.places.push_back({site});
        Expectation torch;
        torch.framework = "PyTorch";
        torch.package = "torch";
        torch.path = site + "/torch";
        torch.site = site;
        scenario.expectations.push_back(torch);
        read_frameworks(host, Facts::embedded(), "", {}, scenario);
        REQUIRE(scenario.traces.size() == 1);
        const auto& libraries = scenario.traces[0].libraries;
        REQUIRE(!libraries.empty());
        CHECK(libraries[0].name == "libnccl.so.2");
        CHECK(libraries[0].taken.has_value() == conda);
    }
}

}  // namespace ptxguard
