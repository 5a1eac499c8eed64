// CuPy: several modules in one process, libraries that the loader finds, that cuda-pathfinder finds, and that
// another package has loaded.
// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

#include <algorithm>

#include "facts/libraries.hpp"
#include "linux_world.hpp"
#include "load/load.hpp"

using namespace ptxguard;

namespace {

const std::string k_libs = "/s/cupy_backends/cuda/libs/";

// cublas and cusparse as modules, cudnn as an optional one.
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

// "libcublas.so.12=/x/libcublas.so.12 (LD_LIBRARY_PATH)", "libcudnn.so.8=?" if it is missing but optional.
std::string words_of(const LoadTrace& trace) {
    std::string text;
    for (const LoadedFile& library : trace.libraries)
        text += file_name(library.name) + "=" +
                (library.taken      ? *library.taken + " (" + library.rule.text + ") "
                 : library.optional ? "? "
                                    : "- ");
    return text;
}

std::string traced(const built::LinuxWorld& world) {
    LoadOptions options;
    options.site_packages = {"/s"};
    options.together = {k_libs + "cusparse.so"};
    options.optional = {k_libs + "cudnn.so"};
    options.opens = {"libnvrtc.so.12"};
    return words_of(trace_linux(world, Facts::embedded(), k_libs + "cublas.so", options));
}

}  // namespace

TEST_CASE("a file that is cut anywhere before its segments end is not a static program") {
    built::LinuxWorld world;
    built::Elf elf;
    const std::string whole = elf.build();
    const std::size_t end = elf.at["dynamic_end"];
    for (std::size_t size = 0; size < whole.size(); ++size) {
        world.file("/l/liba.so", whole.substr(0, size));
        INFO(size);
        const LoadTrace trace = trace_linux(world, Facts::embedded(), "/l/liba.so", {});
        CHECK(trace.trouble.empty() == (size >= end));
    }
}

TEST_CASE("headers of zeros are not a static program") {
    built::LinuxWorld world;
    std::string bytes = built::Elf().build();
    std::fill(bytes.begin() + 64, bytes.end(), '\0');
    world.file("/l/liba.so", bytes);
    CHECK_FALSE(trace_linux(world, Facts::embedded(), "/l/liba.so", {}).trouble.empty());
}

TEST_CASE("modules share one process; what an optional one needs is optional, what is opened is not") {
    auto world = cupy("13.6.0");
    world.library("/usr/lib/x86_64-linux-gnu/libcusparse.so.12");
    CHECK(traced(world) ==
          "libcublas.so.12=- libcusparse.so.12=/usr/lib/x86_64-linux-gnu/libcusparse.so.12 "
          "(default folders) libcudnn.so.8=? libnvrtc.so.12=- ");
}

TEST_CASE("up to 13 CuPy does not search wheels, unless torch has loaded them") {
    auto world = cupy("13.6.0");
    wheel(world, "cublas", "libcublas.so.12", {"libcublasLt.so.12"});
    wheel(world, "cublas", "libcublasLt.so.12");
    wheel(world, "cusparse", "libcusparse.so.12");
    wheel(world, "cuda_nvrtc", "libnvrtc.so.12");
    CHECK(traced(world) == "libcublas.so.12=- libcusparse.so.12=- libcudnn.so.8=? libnvrtc.so.12=- ");
    world.folder("/s/torch").folder("/s/torch-2.6.0.dist-info");
    const std::string with_torch = traced(world);
    CHECK(with_torch.find("libcublas.so.12=/s/nvidia/cublas/lib/libcublas.so.12 (import of torch)") !=
          std::string::npos);
    CHECK(with_torch.find("=- ") == std::string::npos);
}

TEST_CASE("from 14 on cuda-pathfinder searches wheels before the loader does") {
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

TEST_CASE("cuda-pathfinder and torch search the wheels of every folder, PaddlePaddle those beside it") {
    const auto traced_in_two = [](const built::LinuxWorld& world, const std::string& file) {
        LoadOptions options;
        options.site_packages = {"/s", "/t"};
        options.opens = {"libcublas.so.12"};
        return words_of(trace_linux(world, Facts::embedded(), file, options));
    };
    for (const std::string release : {"13.6.0", "14.2.0"}) {
        auto world = cupy(release);
        world.library("/t/nvidia/cublas/lib/libcublas.so.12");
        world.folder("/t/torch").folder("/t/torch-2.8.0.dist-info");
        CHECK(traced_in_two(world, k_libs + "cublas.so").find("=/t/nvidia/cublas/lib/libcublas.so.12") !=
              std::string::npos);
    }
    built::LinuxWorld world;
    world.folder("/s/paddlepaddle_gpu-3.0.0.dist-info").library("/s/paddle/base/libpaddle.so");
    world.library("/t/nvidia/cublas/lib/libcublas.so.12");
    CHECK(traced_in_two(world, "/s/paddle/base/libpaddle.so").find("libcublas.so.12=- ") !=
          std::string::npos);
}

TEST_CASE("cuda-pathfinder picks CUDA 13's wheels first, which no module of CUDA 12 can use") {
    auto world = cupy("14.2.0");
    wheel(world, "cublas", "libcublas.so.12");
    wheel(world, "cu13", "libcublas.so.13");
    wheel(world, "cusparse", "libcusparse.so.12");
    const std::string found = traced(world);
    CHECK(found.find("libcublas.so.12=- ") != std::string::npos);
    CHECK(found.find("libcublas.so.13") == std::string::npos);
    CHECK(found.find("libcusparse.so.12=/s/nvidia/cusparse") != std::string::npos);
}

TEST_CASE("CUDA_PATH comes last: a library that the loader finds is used") {
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

namespace {

std::string paddle(built::LinuxWorld& world, const std::string& release) {
    world.folder("/s/paddlepaddle_gpu-" + release + ".dist-info")
        .library("/s/paddle/base/libpaddle.so", {"libphi.so"}, built::with_rpath("$ORIGIN/../libs"))
        .library("/s/paddle/libs/libphi.so");
    LoadOptions options;
    options.site_packages = {"/s"};
    const auto loading =
        framework_loading(Facts::embedded(), "paddlepaddle-gpu", System::linux_, parse_version(release));
    for (const auto& [major, names] : loading.opens)
        if (major == 12) options.opens = names;
    for (const auto& [major, names] : loading.opens_optional)
        if (major == 12) options.opens_optional = names;
    return words_of(trace_linux(world, Facts::embedded(), "/s/paddle/base/libpaddle.so", options));
}

}  // namespace

TEST_CASE("PaddlePaddle of pip's CUDA opens numbered names, from its packages before the loader's folders") {
    built::LinuxWorld world;
    wheel(world, "cublas", "libcublas.so.12");
    wheel(world, "cudnn", "libcudnn.so.9");
    world.variable("LD_LIBRARY_PATH", "/other").library("/other/libcublas.so.12");
    world.library("/other/libcusparse.so.12").library("/other/libcublas.so");
    const std::string found = paddle(world, "3.0.0");
    CHECK(found.find("libcublas.so.12=/s/nvidia/cublas/lib/libcublas.so.12 (found by paddle)") !=
          std::string::npos);
    CHECK(found.find("libcusparse.so.12=/other/libcusparse.so.12 (LD_LIBRARY_PATH)") != std::string::npos);
    CHECK(found.find("libcudnn.so.9=/s/nvidia/cudnn/lib/libcudnn.so.9 (found by paddle)") !=
          std::string::npos);
    CHECK(found.find("libcublasLt.so.12=- ") != std::string::npos);
    CHECK(found.find("libcublas.so=") == std::string::npos);
}

TEST_CASE("PaddlePaddle of the package index opens names without a number") {
    built::LinuxWorld world;
    world.variable("LD_LIBRARY_PATH", "/other").library("/other/libcublas.so");
    wheel(world, "cublas", "libcublas.so.12");
    const std::string found = paddle(world, "2.6.2");
    CHECK(found.find("libcublas.so=/other/libcublas.so (LD_LIBRARY_PATH)") != std::string::npos);
    CHECK(found.find("libcublas.so.12") == std::string::npos);
}

TEST_CASE("a library that is opened later and optional has builtins that are optional, too") {
    built::LinuxWorld world;
    world.library("/x/lib.so", {"libcufft.so.12"}, built::with_rpath("/x"))
        .library("/x/libcufft.so.12", {}, built::with_runpath("/x"))
        .library("/x/libnvrtc.so.13.0.88");
    world.link("/x/libnvrtc.so.13", "libnvrtc.so.13.0.88");
    const auto trace = trace_linux(world, Facts::embedded(), "/x/lib.so", {});
    for (const LoadedFile& library : trace.libraries)
        if (library.library == "nvrtc-builtins") CHECK(library.optional);
}

TEST_CASE("conda's interpreter has a search list, also where the program itself is not here") {
    built::LinuxWorld world;
    world.library("/conda/lib/libcublas.so.12").library("/s/x.so", {"libcublas.so.12"});
    LoadOptions options;
    options.program_folder = "/conda/bin";
    CHECK_FALSE(trace_linux(world, Facts::embedded(), "/s/x.so", options).libraries[0].taken);
    world.folder("/conda/conda-meta");
    const LoadTrace trace = trace_linux(world, Facts::embedded(), "/s/x.so", options);
    CHECK(trace.libraries[0].taken == std::optional<std::string>("/conda/lib/libcublas.so.12"));
    CHECK(trace.libraries[0].rule.text == "DT_RPATH of conda's interpreter");
}
