// What glibc's loader resolves on machines with one of each, and with one file less. PTXGUARD_UPDATE_GOLDEN
// in the environment rewrites the texts; read the difference.
// SPDX-License-Identifier: Apache-2.0
#include "linux_world.hpp"
#include "neighbours.hpp"

using namespace neighbours;

namespace {

Item elf_file(const std::string& path, std::vector<std::string> needed = {}, built::Elf elf = {}) {
    if (elf.soname.empty()) elf.soname = file_name(path);
    elf.needed = std::move(needed);
    return file(path, elf.build());
}

Item elf_program(const std::string& path, std::vector<std::string> needed, built::Elf elf = {}) {
    elf.interpreter = "/lib64/ld-linux-x86-64.so.2";
    elf.needed = std::move(needed);
    return file(path, elf.build());
}

Machine system_with(Machine more) {
    Machine machine{
        file("/lib64/ld-linux-x86-64.so.2", built::debian_loader()),
        elf_file("/lib/x86_64-linux-gnu/libc.so.6"),
        file("/etc/ld.so.cache", built::new_cache({{"libcuda.so.1", "/usr/lib/x86_64-linux-gnu/libcuda.so.1"},
                                                   {"libcudnn.so.9", "/opt/cudnn/lib/libcudnn.so.9"}},
                                                  {})),
        elf_file("/usr/lib/x86_64-linux-gnu/libcuda.so.1"), elf_file("/opt/cudnn/lib/libcudnn.so.9")};
    machine.insert(machine.end(), more.begin(), more.end());
    return machine;
}

// A build's texts may hold names that it opens.
built::Elf opening(const std::string& name, const std::string& runpath = {}) {
    built::Elf elf = built::with_runpath(runpath);
    elf.sections = {{".rodata", name + std::string(1, '\0')}};
    return elf;
}

}  // namespace

TEST_CASE("a program with DT_RUNPATH, a variable, a cache, links, and files that do not fit") {
    built::Elf other_machine;
    other_machine.machine = 183;
    LoadOptions options;
    options.all_libraries = options.count_undefined = true;
    compare(
        "linux_program",
        text_of(
            system_with(
                {elf_program("/app/bin/x",
                             {"libcublas.so.12", "libcudart.so.12", "libcudnn.so.9", "libfoo.so"},
                             opening("libnvrtc.so.12", "$ORIGIN/../lib:/opt/cuda/lib64")),
                 link("/app/lib/libcublas.so.12", "libcublas.so.12.4.5.8"),
                 elf_file("/app/lib/libcublas.so.12.4.5.8", {"libcublasLt.so.12"}),
                 elf_file("/opt/cuda/lib64/libcublasLt.so.12"), elf_file("/opt/cuda/lib64/libcublas.so.12"),
                 elf_file("/opt/cuda/lib64/stubs/libcuda.so"),
                 elf_file("/opt/env/libcudart.so.12", {}, other_machine),
                 elf_file("/opt/cuda/lib64/libcudart.so.12"),
                 file("/opt/cuda/lib64/libnvrtc.so.12", "no library"),
                 elf_file("/usr/lib/x86_64-linux-gnu/libnvrtc.so.12"),
                 elf_file("/opt/env/glibc-hwcaps/x86-64-v3/libfoo.so"), elf_file("/opt/env/libfoo.so"),
                 elf_file("/opt/preload/libpre.so", {"libcublasLt.so.12"}),
                 variable("LD_LIBRARY_PATH", "/opt/env:/opt/cuda/lib64:"),
                 variable("LD_PRELOAD", "/opt/preload/libpre.so"), variable("PWD", "/work")}),
            System::linux_, "/app/bin/x", options));
}

TEST_CASE("torch's own library, with the wheels that its import loads") {
    const std::string site = "/s/";
    LoadOptions options;
    options.site_packages = {"/s"};
    compare(
        "linux_torch",
        text_of(
            system_with(
                {file(site + "torch-2.11.0+cu130.dist-info/METADATA", "Name: torch\nVersion: 2.11.0+cu130\n"),
                 file(site + "torch/__init__.py"),
                 elf_file(site + "torch/lib/libtorch_cuda.so",
                          {"libcublas.so.13", "libcudnn.so.9", "libcudart.so.13", "libtorch_global_deps.so"},
                          opening("libnvrtc.so.13", "$ORIGIN:$ORIGIN/../../nvidia/cu13/lib")),
                 elf_file(site + "torch/lib/libtorch_global_deps.so"),
                 elf_file(site + "nvidia/cu13/lib/libcublas.so.13", {"libcublasLt.so.13"},
                          built::with_runpath("$ORIGIN")),
                 elf_file(site + "nvidia/cu13/lib/libcublasLt.so.13"),
                 elf_file(site + "nvidia/cu13/lib/libcudart.so.13"),
                 elf_file(site + "nvidia/cu13/lib/libnvrtc.so.13", {}, built::with_runpath("$ORIGIN")),
                 elf_file(site + "nvidia/cu13/lib/libnvrtc-builtins.so.13.0"),
                 elf_file(site + "nvidia/cudnn/lib/libcudnn.so.9"),
                 elf_file(site + "nvidia/cudnn/lib/libcudnn_graph.so.9"),
                 file(site + "nvidia_cublas-13.1.0.3.dist-info/METADATA",
                      "Name: nvidia-cublas\nVersion: 13.1.0.3\n"),
                 file(site + "nvidia_cublas-13.1.0.3.dist-info/RECORD",
                      "nvidia/cu13/lib/libcublas.so.13,,\n"),
                 elf_file("/usr/local/cuda/lib64/libcublas.so.13"),
                 variable("LD_LIBRARY_PATH", "/usr/local/cuda/lib64")}),
            System::linux_, site + "torch/lib/libtorch_cuda.so", options));
}

TEST_CASE("CuPy's modules, which search wheels before the loader does") {
    const std::string site = "/s/", libs = "/s/cupy_backends/cuda/libs/";
    LoadOptions options;
    options.site_packages = {"/s"};
    options.together = {libs + "cusparse.so"};
    options.optional = {libs + "cudnn.so"};
    options.opens = {"libnvrtc.so.12"};
    options.opens_optional = {"libcutensor.so.2"};
    compare("linux_cupy",
            text_of(system_with({file(site + "cupy_cuda12x-14.2.0.dist-info/METADATA",
                                      "Name: cupy-cuda12x\nVersion: 14.2.0\n"),
                                 elf_file(libs + "cublas.so", {"libcublas.so.12"}),
                                 elf_file(libs + "cusparse.so", {"libcusparse.so.12"}),
                                 elf_file(libs + "cudnn.so", {"libcudnn.so.8"}),
                                 elf_file(site + "nvidia/cublas/lib/libcublas.so.12", {"libcublasLt.so.12"},
                                          built::with_runpath("$ORIGIN")),
                                 elf_file(site + "nvidia/cublas/lib/libcublasLt.so.12"),
                                 elf_file(site + "nvidia/cu13/lib/libcublas.so.13"),
                                 elf_file("/cuda/lib64/libcusparse.so.12", {"libnvJitLink.so.12"}),
                                 elf_file("/cuda/lib64/libnvJitLink.so.12"),
                                 elf_file("/cuda/lib64/libnvrtc.so.12"),
                                 elf_file("/usr/lib/x86_64-linux-gnu/libcusparse.so.11"),
                                 variable("CUDA_PATH", "/cuda"), variable("LD_LIBRARY_PATH", "/cuda/lib64")}),
                    System::linux_, libs + "cublas.so", options));
}
