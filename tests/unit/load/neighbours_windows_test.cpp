// What the loader of Windows resolves on machines with one of each, and with one file less.
// PTXGUARD_UPDATE_GOLDEN in the environment rewrites the texts; read the difference.
// SPDX-License-Identifier: Apache-2.0
#include "neighbours.hpp"
#include "tiny_pe.hpp"

using namespace neighbours;

namespace {

Item dll_file(const std::string& path, const std::vector<std::string>& needed = {}) {
    TinyPe pe;
    for (const std::string& name : needed) pe.needs(name);
    return file(path, pe.bytes());
}

Machine windows_with(Machine more) {
    Machine machine{dll_file("C:/Windows/System32/kernel32.dll"), dll_file("C:/Windows/System32/nvcuda.dll"),
                    variable("PATH", "C:/one;C:/cuda/bin"), variable("CUDA_PATH", "C:/cuda")};
    machine.insert(machine.end(), more.begin(), more.end());
    return machine;
}

const std::string k_packages = "C:/Python/Lib/site-packages/";

Machine python_with(Machine more) {
    Machine machine = windows_with(
        {file("C:/Python/python.exe", TinyPe{}.program().bytes()), dll_file("C:/Python/python311.dll")});
    machine.insert(machine.end(), more.begin(), more.end());
    return machine;
}

}  // namespace

TEST_CASE("a program with its folder, PATH, a delay-loaded DLL and files that do not fit") {
    LoadOptions options;
    options.all_libraries = true;
    compare("windows_program",
            text_of(windows_with(
                        {file("C:/app/x.exe", TinyPe{}
                                                  .program()
                                                  .needs("cublas64_12.dll")
                                                  .needs("cudart64_12.dll")
                                                  .needs("vcruntime140.dll")
                                                  .delays("nvrtc64_120_0.dll")
                                                  .text("cudnn64_9.dll")
                                                  .bytes()),
                         dll_file("C:/app/cublas64_12.dll", {"cublasLt64_12.dll"}),
                         dll_file("C:/cuda/bin/cublas64_12.dll"), dll_file("C:/cuda/bin/cublasLt64_12.dll"),
                         file("C:/one/cudart64_12.dll", TinyPe{}.machine(0x14c).bytes()),
                         dll_file("C:/cuda/bin/cudart64_12.dll"), dll_file("C:/cuda/bin/nvrtc64_120_0.dll"),
                         dll_file("C:/cuda/bin/nvrtc-builtins64_124.dll"), dll_file("C:/one/cudnn64_9.dll"),
                         dll_file("C:/one/cudnn_graph64_9.dll"), dll_file("C:/cuda/bin/cudnn_ops64_9.dll"),
                         file("C:/one/vcruntime140.dll", "no library"),
                         dll_file("C:/Windows/cudnn_cnn64_9.dll")}),
                    System::windows, "C:/app/x.exe", options));
}

TEST_CASE("torch's module: its folder, what it loads first, and PATH") {
    compare("windows_torch",
            text_of(python_with(
                        {file(k_packages + "torch/__init__.py"),
                         file(k_packages + "torch-2.5.1.dist-info/METADATA", "Name: torch\nVersion: 2.5.1\n"),
                         dll_file(k_packages + "torch/_C.pyd", {"torch_cuda.dll", "python311.dll"}),
                         dll_file(k_packages + "torch/lib/torch_cuda.dll",
                                  {"cudnn64_9.dll", "cusolver64_11.dll", "cublas64_12.dll", "KERNEL32.dll"}),
                         dll_file(k_packages + "torch/lib/cudnn64_9.dll"),
                         dll_file(k_packages + "torch/lib/cublas64_12.dll", {"cublasLt64_12.dll"}),
                         dll_file("C:/cuda/bin/cublasLt64_12.dll"), dll_file("C:/cuda/bin/cusolver64_11.dll"),
                         dll_file("C:/Windows/System32/cudnn64_9.dll"),
                         dll_file(k_packages + "nvidia/cublas/bin/cublasLt64_12.dll")}),
                    System::windows, k_packages + "torch/_C.pyd", {}));
}

TEST_CASE("CuPy's modules: added folders, preloads of torch, CUDA_PATH") {
    const std::string libs = k_packages + "cupy_backends/cuda/libs/";
    LoadOptions options;
    options.site_packages = {"C:/Python/Lib/site-packages"};
    options.together = {libs + "curand.cp311-win_amd64.pyd"};
    options.optional = {libs + "cudnn.cp311-win_amd64.pyd"};
    options.opens = {"nvrtc64_120_0.dll"};
    options.opens_by_python = true;
    for (const std::string release : {"13.6.0", "14.2.0"})
        compare(
            "windows_cupy_" + release.substr(0, 2),
            text_of(python_with(
                        {file(k_packages + "cupy_cuda12x-" + release + ".dist-info/METADATA", ""),
                         dll_file(libs + "cublas.cp311-win_amd64.pyd", {"cublas64_12.dll"}),
                         dll_file(libs + "curand.cp311-win_amd64.pyd", {"curand64_10.dll"}),
                         dll_file(libs + "cudnn.cp311-win_amd64.pyd", {"cudnn64_8.dll"}),
                         dll_file(k_packages + "torch/lib/curand64_10.dll"),
                         dll_file(k_packages + "nvidia/cublas/bin/cublas64_12.dll", {"cublasLt64_12.dll"}),
                         dll_file(k_packages + "nvidia/cublas/bin/cublasLt64_12.dll"),
                         dll_file("C:/cuda/bin/cublas64_12.dll"), dll_file("C:/cuda/bin/nvrtc64_120_0.dll"),
                         dll_file("C:/one/curand64_10.dll"), dll_file("C:/cuda/bin/cudnn64_9.dll")}),
                    System::windows, libs + "cublas.cp311-win_amd64.pyd", options));
}
