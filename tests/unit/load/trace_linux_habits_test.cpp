// SPDX-License-Identifier: Apache-2.0
#include "load/trace_linux_process.hpp"

#include <doctest/doctest.h>

#include "linux_world.hpp"
#include "load/load.hpp"

using namespace ptxguard;

namespace {

FakeHost environment(const std::string& torch, const std::string& site) {
    FakeHost host;
    host.folder(site + "/torch-" + torch + ".dist-info").file(site + "/torch/lib/libtorch_cuda.so");
    host.file(site + "/torch/lib/libtorch_global_deps.so").file(site + "/nvidia/cu13/lib/libcublas.so.13");
    host.file(site + "/nvidia/cu13/lib/libcublas.so").file(site + "/nvidia/cudnn/lib/libcudnn.so.9");
    host.file(site + "/other/_C.so");
    return host;
}

}  // namespace

TEST_CASE("a package's file gets what its import loads, wherever the packages are") {
    for (const std::string site : {"/venv/lib/python3.11/site-packages", "/x"}) {
        const FakeHost host = environment("2.11.0+cu130", site);
        const auto preloads = without_fallbacks(
            package_preloads(host, Facts::embedded(), site + "/torch/lib/libtorch_cuda.so", {site}));
        REQUIRE(preloads.size() == 3);
        CHECK(preloads[0].path == site + "/torch/lib/libtorch_global_deps.so");
        CHECK(preloads[1].path == site + "/nvidia/cu13/lib/libcublas.so.13");
        CHECK(preloads[1].pattern == "nvidia/*/lib/libcublas.so.*[0-9]");
        CHECK(preloads[2].path == site + "/nvidia/cudnn/lib/libcudnn.so.9");
    }
}

TEST_CASE("other packages, other releases and files of no package get nothing") {
    const Facts facts = Facts::embedded();
    const FakeHost host = environment("2.11.0", "/s");
    CHECK(package_preloads(host, facts, "/s/other/_C.so", {"/s"}).empty());
    CHECK(package_preloads(host, facts, "/s/torch/lib/libtorch_cuda.so", {}).empty());
    CHECK(package_preloads(host, facts, "/s/torch/lib/libtorch_cuda.so", {"/elsewhere"}).empty());
    CHECK(without_fallbacks(
              package_preloads(environment("2.5.1", "/s"), facts, "/s/torch/lib/libtorch_cuda.so", {"/s"}))
              .empty());
}

TEST_CASE("torch 2.6 to 2.9 load only NVRTC and nvJitLink, and CuPy with torch gets them from 2.6 on") {
    const Facts facts = Facts::embedded();
    const auto brought = [&](const std::string& torch, const std::string& file) {
        FakeHost host = environment(torch, "/s");
        host.file("/s/nvidia/nvjitlink/lib/libnvJitLink.so.12")
            .file("/s/nvidia/cuda_nvrtc/lib/libnvrtc.so.12");
        host.file("/s/nvidia/cublas/lib/libcublas.so.12").file("/s/cupy_backends/cuda/libs/cublas.so");
        host.folder("/s/cupy_cuda12x-13.0.0.dist-info");
        std::vector<std::string> names;
        auto preloads = package_preloads(host, facts, file, {"/s"});
        if (starts_with(file, "/s/torch/")) preloads = without_fallbacks(std::move(preloads));
        for (const auto& preload : preloads)
            names.push_back(preload.path.substr(preload.path.rfind('/') + 1));
        return names;
    };
    using Names = std::vector<std::string>;
    const std::string torch = "/s/torch/lib/libtorch_cuda.so", cupy = "/s/cupy_backends/cuda/libs/cublas.so";
    const Names both = {"libtorch_global_deps.so", "libnvrtc.so.12", "libnvJitLink.so.12"};
    CHECK(brought("2.6.0", torch) == both);
    CHECK(brought("2.9.1", torch) == both);
    CHECK(brought("2.10.0", torch).size() > 3);
    CHECK(brought("2.5.1", cupy) == Names{"libcublas.so.12"});
    CHECK(brought("2.6.0", cupy) == Names{"libcublas.so.12", "libnvrtc.so.12", "libnvJitLink.so.12"});
}

TEST_CASE(
    "an extension gets what the import of its package loads, and its package is named if it is missing") {
    const Facts facts = Facts::embedded();
    FakeHost host = environment("2.11.0", "/s");
    host.file("/s/torch/lib/libtorch_python.so");
    const auto provider = package_provider(host, facts, {"libcudart.so.13", "libc10.so"}, {"/other", "/s"});
    REQUIRE(provider);
    CHECK(provider->package == "torch");
    const auto preloads = without_fallbacks(provider->preloads);
    REQUIRE(preloads.size() == 5);
    CHECK(preloads.front().path == "/s/torch/lib/libtorch_global_deps.so");
    CHECK(preloads.back().path == "/s/torch/lib/libtorch_python.so");
    const auto elsewhere = package_provider(host, facts, {"libc10.so"}, {"/other"});
    REQUIRE(elsewhere);
    CHECK(elsewhere->preloads.empty());
    CHECK_FALSE(package_provider(host, facts, {"libcudart.so.13"}, {"/s"}));
}

TEST_CASE("an extension that finds torch by its RUNPATH gets what the import of torch loads") {
    built::LinuxWorld world;
    world.library("/s/torch/lib/libc10.so")
        .library("/s/torch/lib/libtorch_python.so", {"libc10.so"}, built::with_rpath("$ORIGIN"))
        .library("/s/torch/lib/libtorch_global_deps.so", {"libcudart.so.13"},
                 built::with_rpath("$ORIGIN/../../nvidia/cu13/lib"))
        .library("/s/nvidia/cu13/lib/libcudart.so.13")
        .library("/b/_C.so", {"libc10.so", "libcudart.so.13"}, built::with_runpath("/s/torch/lib"))
        .library("/b/_lacks.so", {"libc10.so", "libcublas.so.13"}, built::with_runpath("/s/torch/lib"))
        .program("/b/app", {"libc10.so", "libcudart.so.13"}, built::with_runpath("/s/torch/lib"))
        .library("/o/lib/libc10.so")
        .library("/b/_other.so", {"libc10.so", "libcudart.so.13"}, built::with_runpath("/o/lib"));
    world.library("/s/torch/lib/libtorch_cuda.so", {"libc10.so", "libcudart.so.13", "libcuda.so.1"},
                  built::with_rpath("$ORIGIN:$ORIGIN/../../nvidia/cu13/lib"));
    world.file("/s/torch-2.11.0.dist-info/METADATA", "Name: torch\nVersion: 2.11.0\n");
    const auto missing = [&](const std::string& path) {
        std::string names;
        const auto trace = trace_linux(world, Facts::embedded(), path, {});
        for (const LoadedFile& library : trace.libraries)
            if (!library.taken) names += library.name + (library.undecided ? "? " : " ");
        return names;
    };
    CHECK(missing("/b/_C.so").empty());
    CHECK(missing("/b/_lacks.so") == "libcublas.so.13 ");
    CHECK(missing("/b/app") == "libcudart.so.13 ");  // nothing is loaded into it
    const auto own = trace_linux(world, Facts::embedded(), "/s/torch/lib/libtorch_cuda.so", {});
    REQUIRE(own.libraries.size() == 3);
    CHECK(own.libraries[1].name == "libcudart.so.13");
    CHECK(own.libraries[1].rule.step == LoadStep::rpath);  // a part of torch is not loaded after it
    CHECK(missing("/b/_other.so") == "libcudart.so.13 ");  // not a package of Python
}

namespace {

// The layout of RHEL: torch in lib64, NVIDIA's wheels in lib; or torch in the base's folder and a virtual
// environment over it.
std::string found_by_torch(const std::string& release, bool with_cublas, const std::string& file) {
    built::LinuxWorld world;
    world.file("/p/torch-" + release + ".dist-info/METADATA", "Name: torch\nVersion: " + release + "\n")
        .library("/p/torch/lib/libtorch_global_deps.so", {"libcudart.so.12", "libcublas.so.12"},
                 built::with_rpath("$ORIGIN/../../nvidia/cublas/lib:$ORIGIN/../../nvidia/cuda_runtime/lib"))
        .library("/p/torch/lib/libc10.so")
        .library("/p/torch/lib/libtorch_python.so", {"libc10.so"}, built::with_rpath("$ORIGIN"))
        .library("/p/torch/lib/libtorch_cuda.so", {"libc10.so", "libcudart.so.12", "libcublas.so.12"},
                 built::with_rpath("$ORIGIN:$ORIGIN/../../nvidia/cublas/lib"))
        .library("/q/ext/_C.so", {"libc10.so", "libcudart.so.12"})
        .library("/q/nvidia/cuda_runtime/lib/libcudart.so.12");
    if (with_cublas) world.library("/q/nvidia/cublas/lib/libcublas.so.12");
    LoadOptions options;
    options.site_packages = {"/q", "/p"};
    std::string missing;
    for (const LoadedFile& library : trace_linux(world, Facts::embedded(), file, options).libraries)
        if (!library.taken && !library.optional) missing += library.name + " ";
    return missing;
}

}  // namespace

TEST_CASE("torch looks for NVIDIA's wheels in every folder that Python imports from") {
    for (const std::string release : {"2.0.1", "2.5.1", "2.8.0", "2.9.1", "2.10.0", "2.11.0"})
        for (const std::string file : {"/p/torch/lib/libtorch_cuda.so", "/q/ext/_C.so"}) {
            CHECK_MESSAGE(found_by_torch(release, true, file).empty(), release, file);
            CHECK_MESSAGE(found_by_torch(release, false, file).find("libcublas.so.12") != std::string::npos,
                          release, file);
        }
    CHECK(found_by_torch("1.12.1", true, "/p/torch/lib/libtorch_cuda.so") ==
          "libcudart.so.12 libcublas.so.12 ");
}

TEST_CASE("JAX's import loads the NVRTC of its wheels before cuFFT asks for one") {
    built::LinuxWorld world;
    world.variable("LD_LIBRARY_PATH", "/cuda/lib64").library("/cuda/lib64/libnvrtc.so.13");
    world.library("/s/jax_plugins/xla_cuda13/xla_cuda_plugin.so")
        .folder("/s/jax_cuda13_pjrt-0.11.2.dist-info");
    world.library("/s/nvidia/cu13/lib/libcufft.so.12").library("/s/nvidia/cu13/lib/libnvrtc.so.13");
    world.library("/s/nvidia/cuda_nvrtc/lib/libnvrtc.so.12");
    LoadOptions options;
    options.site_packages = {"/s"};
    options.opens = {"libcufft.so.12"};
    std::vector<std::string> taken;
    for (const LoadedFile& library :
         trace_linux(world, Facts::embedded(), "/s/jax_plugins/xla_cuda13/xla_cuda_plugin.so", options)
             .libraries)
        if (library.taken) taken.push_back(*library.taken);
    CHECK(taken ==
          std::vector<std::string>{"/s/nvidia/cu13/lib/libnvrtc.so.13", "/s/nvidia/cu13/lib/libcufft.so.12"});
}

namespace {

built::LinuxWorld tensorflow() {
    built::LinuxWorld world;
    world
        .library("/s/tensorflow/libtensorflow_cc.so.2", {}, built::with_rpath("$ORIGIN/../nvidia/cublas/lib"))
        .library("/s/nvidia/cublas/lib/libcublas.so.12");
    return world;
}

// "libcublas.so.12+ libcudnn.so.9- ": found, missing.
std::string opened_by_tensorflow(const built::LinuxWorld& world, LoadOptions options) {
    options.site_packages = {"/s"};
    std::string names;
    const auto trace = trace_linux(world, Facts::embedded(), "/s/tensorflow/libtensorflow_cc.so.2", options);
    for (const LoadedFile& library : trace.libraries)
        names += library.name + (library.taken ? "+ " : library.optional ? "? " : "- ");
    return names;
}

}  // namespace

TEST_CASE("what TensorFlow opens is composed from the numbers in its header") {
    const auto opened = [](const std::string& header) {
        built::LinuxWorld world = tensorflow();
        world.file("/s/tensorflow/include/third_party/gpus/cuda/cuda_config.h", header);
        return opened_by_tensorflow(world, {});
    };
    CHECK(opened("#define TF_CUBLAS_VERSION \"12\"\n#define TF_CUDNN_VERSION \"9\"\n") ==
          "libcublas.so.12+ libcublasLt.so.12- libcudnn.so.9- libcuda.so.1- ");
    CHECK(opened("#define TF_OTHER_VERSION \"12\"\n") == "libcuda.so.1- ");
}

TEST_CASE("without that header, what TensorFlow opens follows from the CUDA and cuDNN of its build") {
    const auto opened = [](const char* cuda, const char* cudnn) {
        const built::LinuxWorld world = tensorflow();
        LoadOptions options;
        options.built_with_cuda = parse_version(cuda);
        options.built_with_cudnn = parse_version(cudnn);
        return opened_by_tensorflow(world, options);
    };
    CHECK(opened("12.5.1", "9") ==
          "libcudart.so.12- libcublas.so.12+ libcublasLt.so.12- libcufft.so.11- libcusolver.so.11- "
          "libcusparse.so.12- libcudnn.so.9- libcuda.so.1- ");
    CHECK(opened("11.2", "8") == "");  // its releases have different names
    CHECK(opened("", "") == "");
}

TEST_CASE("what TensorFlow opens is searched for by the library that defines the calling function") {
    const auto places = [](bool in_cc, bool in_framework) {
        const auto asking = [](const std::string& folder, bool defines) {
            built::Elf elf = built::with_runpath("$ORIGIN/../nvidia/" + folder + "/lib");
            elf.gnu_hash = true;
            if (defines) {
                elf.symbols = {{"_ZN3tsl8internal18LoadDynamicLibraryEPKcPPv", 1}};
                elf.symbols.front().value = 0x400040;  // within the file
            }
            return elf;
        };
        built::LinuxWorld world;
        world
            .library("/s/tensorflow/libtensorflow_cc.so.2", {"libtensorflow_framework.so.2"},
                     asking("cusolver", in_cc))
            .library("/s/nvidia/cusolver/lib/libtensorflow_framework.so.2", {},
                     asking("cublas", in_framework))
            .library("/s/nvidia/cusolver/lib/libcusolver.so.11")
            .library("/s/nvidia/cusolver/nvidia/cublas/lib/libcublas.so.12")
            .file("/s/tensorflow/include/third_party/gpus/cuda/cuda_config.h",
                  "#define TF_CUSOLVER_VERSION \"11\"\n#define TF_CUBLAS_VERSION \"12\"\n");
        LoadOptions options;
        options.site_packages = {"/s"};
        std::string names;
        for (const LoadedFile& library :
             trace_linux(world, Facts::embedded(), "/s/tensorflow/libtensorflow_cc.so.2", options).libraries)
            names += library.name + (library.taken ? "+ " : "- ");
        return names;
    };
    const std::string framework = "libtensorflow_framework.so.2+ ";
    CHECK(places(true, true) ==
          framework + "libcusolver.so.11+ libcublas.so.12- libcublasLt.so.12- libcuda.so.1- ");
    CHECK(places(false, true) ==
          framework + "libcusolver.so.11- libcublas.so.12+ libcublasLt.so.12- libcuda.so.1- ");
    CHECK(places(false, false) == places(true, true));
}
