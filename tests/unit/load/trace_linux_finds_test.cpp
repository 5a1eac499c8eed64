// CuPy: several modules in one process, libraries that the loader finds, that cuda-pathfinder finds, and that
// another package has brought.
// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

#include "linux_world.hpp"
#include "load/trace_linux.hpp"

using namespace ptxguard;

namespace {

const std::string k_libs = "/s/cupy_backends/cuda/libs/";

// cublas and cusparse as modules, cudnn as one that CuPy does without.
built::LinuxWorld cupy(const std::string& release) {
    built::LinuxWorld world;
    world.folder("/s/cupy_cuda12x-" + release + ".dist-info")
        .library(k_libs + "cublas.so", {"libcublas.so.12"})
        .library(k_libs + "cusparse.so", {"libcusparse.so.12"})
        .library(k_libs + "cudnn.so", {"libcudnn.so.8"});
    return world;
}

built::LinuxWorld& wheel(built::LinuxWorld& world, const std::string& folder, const std::string& library,
                         std::vector<std::string> needed = {}) {
    return world.library("/s/nvidia/" + folder + "/lib/" + library, std::move(needed),
                         built::with_runpath("$ORIGIN"));
}

// "libcublas.so.12=/x/libcublas.so.12 (LD_LIBRARY_PATH)", "libcudnn.so.8=?" where it is done without.
std::string traced(const built::LinuxWorld& world) {
    LoadOptions options;
    options.site_packages = {"/s"};
    options.together = {k_libs + "cusparse.so"};
    options.optional = {k_libs + "cudnn.so"};
    options.opens = {"libnvrtc.so.12"};
    std::string text;
    for (const LoadedFile& library :
         trace_linux(world, Facts::embedded(), k_libs + "cublas.so", options).libraries)
        text += file_name(library.name) + "=" +
                (library.taken      ? *library.taken + " (" + library.rule + ") "
                 : library.optional ? "? "
                                    : "- ");
    return text;
}

}  // namespace

TEST_CASE("modules come into one process; what an optional one misses is optional, what is opened is not") {
    auto world = cupy("13.6.0");
    world.library("/usr/lib/x86_64-linux-gnu/libcusparse.so.12");
    CHECK(traced(world) ==
          "libcublas.so.12=- libcusparse.so.12=/usr/lib/x86_64-linux-gnu/libcusparse.so.12 "
          "(default folders) libcudnn.so.8=? libnvrtc.so.12=- ");
}

TEST_CASE("up to 13 CuPy does not look into wheels, unless torch has brought them") {
    auto world = cupy("13.6.0");
    wheel(world, "cublas", "libcublas.so.12", {"libcublasLt.so.12"});
    wheel(world, "cublas", "libcublasLt.so.12");
    wheel(world, "cusparse", "libcusparse.so.12");
    wheel(world, "cuda_nvrtc", "libnvrtc.so.12");
    CHECK(traced(world) == "libcublas.so.12=- libcusparse.so.12=- libcudnn.so.8=? libnvrtc.so.12=- ");
    world.folder("/s/torch");
    const std::string with_torch = traced(world);
    CHECK(with_torch.find("libcublas.so.12=/s/nvidia/cublas/lib/libcublas.so.12 (import of torch)") !=
          std::string::npos);
    CHECK(with_torch.find("=- ") == std::string::npos);
}

TEST_CASE("from 14 on cuda-pathfinder looks into wheels before the loader does") {
    auto world = cupy("14.2.0");
    wheel(world, "cublas", "libcublas.so.12", {"libcublasLt.so.12"});
    wheel(world, "cublas", "libcublasLt.so.12");
    wheel(world, "cusparse", "libcusparse.so.12");
    wheel(world, "cuda_nvrtc", "libnvrtc.so.12");
    wheel(world, "cuda_nvrtc", "libnvrtc-builtins.so.12.8");
    world.variable("LD_LIBRARY_PATH", "/other");
    world.library("/other/libcublas.so.12").library("/other/libcublasLt.so.12");
    const std::string found = traced(world);
    for (const char* library :
         {"cublas/lib/libcublas.so.12", "cublas/lib/libcublasLt.so.12", "cusparse/lib/libcusparse.so.12",
          "cuda_nvrtc/lib/libnvrtc.so.12", "cuda_nvrtc/lib/libnvrtc-builtins.so.12.8"})
        CHECK_MESSAGE(found.find("=/s/nvidia/" + std::string(library) + " (found by cuda-pathfinder)") !=
                          std::string::npos,
                      found);
    CHECK(found.find("/other/") == std::string::npos);
}

TEST_CASE("it takes CUDA 13's wheels first, which serve no module of CUDA 12") {
    auto world = cupy("14.2.0");
    wheel(world, "cublas", "libcublas.so.12");
    wheel(world, "cu13", "libcublas.so.13");
    wheel(world, "cusparse", "libcusparse.so.12");
    const std::string found = traced(world);
    CHECK(found.find("libcublas.so.12=- ") != std::string::npos);
    CHECK(found.find("libcublas.so.13") == std::string::npos);
    CHECK(found.find("libcusparse.so.12=/s/nvidia/cusparse") != std::string::npos);
}

TEST_CASE("CUDA_PATH comes last: where the loader finds one, that is taken") {
    auto world = cupy("14.2.0");
    world.variable("CUDA_PATH", "/opt/cuda").library("/opt/cuda/lib64/libcublas.so.12");
    world.library("/opt/cuda/lib64/libcusparse.so.12");
    CHECK(traced(world).find("libcublas.so.12=/opt/cuda/lib64/libcublas.so.12 (found by cuda-pathfinder)") !=
          std::string::npos);
    world.library("/usr/lib/x86_64-linux-gnu/libcublas.so.12");
    const std::string found = traced(world);
    CHECK(found.find("=/usr/lib/x86_64-linux-gnu/libcublas.so.12 (default folders)") != std::string::npos);
    CHECK(found.find("=/opt/cuda/lib64/libcusparse.so.12 (found by cuda-pathfinder)") != std::string::npos);
}
