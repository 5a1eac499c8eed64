// Lines as people paste them, and the page that explains each.
// SPDX-License-Identifier: Apache-2.0
#include "commands/error_texts.hpp"

#include <doctest/doctest.h>

using namespace ptxguard;

namespace {

struct Pasted {
    const char* code;
    const char* line;
};

const Pasted k_toolkits[] = {
    {"CC101", "FileNotFoundError: [Errno 2] No such file or directory: '/usr/local/cuda/bin/nvcc'"},
    {"CC104", "ptxas /tmp/x.ptx, line 9; fatal   : Unsupported .version 9.3; current version is '9.1'"},
    {"CC104", "nvlink fatal   : Input file 'a.o' newer than toolkit (118 vs 117)"},
    {"CC104", "Compiling the CUDA compiler identification source file \"CMakeCUDACompilerId.cu\" failed."},
    {"CC106", "RuntimeError: Failed to find nvcc."},
    {"CC106", "CMake Error at CMakeDetermineCompilerId.cmake:491 (message): No CUDA toolset found."},
    {"CC108", "#error -- unsupported GNU version! gcc versions later than 13 are not supported!"},
    {"CC108", "nvcc fatal   : Cannot find compiler 'cl.exe' in PATH"},
    {"CC109", "Relying on driver to perform ptx compilation. Modify $PATH to customize ptxas location."},
    {"CC111", "Can't find libdevice directory ${CUDA_DIR}/nvvm/libdevice. This may result in failures"},
    {"CC203", "nvcc fatal   : Unsupported gpu architecture 'compute_120'"},
    {"CC203", "ptxas fatal   : Value 'sm_89' is not defined for option 'gpu-name'"},
    {"CC203", "nvrtc: error: invalid value for --gpu-architecture (-arch)"},
    {"CC203", "triton.runtime.errors.PTXASError: PTXAS error: Internal Triton PTX codegen error"},
    {"CC601", "RuntimeError: The detected CUDA version (11.8) mismatches the version that was used to compile "
              "PyTorch (12.4). Please make sure to use the same CUDA versions."},
    // Cut, as people quote it.
    {"CC601", "RuntimeError: The detected CUDA version (13.0) mismatches the version that was used to compile PyTorch (12.8)"},
    {"CC203", "ptxas-blackwell fatal   : Value 'sm_110a' is not defined for option 'gpu-name'"},
    {"CC602", "The detected CUDA version (11.8) has a minor version mismatch with the version that was used to "
              "compile PyTorch (11.7)."},
};

const Pasted k_drivers[] = {
    {"CC202", "222"},
    {"CC202", "unsupported toolchain"},
    {"CC202", "Cuda failure: 222 the provided PTX was compiled with an unsupported toolchain."},
    {"CC202", "[cudaErrorUnsupportedPtxVersion] the provided PTX was compiled with an unsupported toolchain"},
    {"CC214", "numba.cuda.cudadrv.driver.LinkerError: [222] Call to cuLinkAddData results in "
              "CUDA_ERROR_UNSUPPORTED_PTX_VERSION"},
    {"CC204", "RuntimeError: CUDA error: no kernel image is available for execution on the device"},
    {"CC204", "CUDA error 209 at main.cu:12"},
    {"CC208", "error == cudaSuccess (35 vs. 0)  CUDA driver version is insufficient for CUDA runtime version"},
    {"CC208", "RuntimeError: The NVIDIA driver on your system is too old (found version 11040)."},
    {"CC209", "Error 804: forward compatibility was attempted on non supported HW"},
    {"CC209", "803"},
    {"CC209", "Failed to initialize NVML: Driver/library version mismatch"},
    {"CC210", "RuntimeError: Found no NVIDIA driver on your system. Please check that you have an NVIDIA GPU"},
    {"CC210", "ImportError: libcuda.so.1: cannot open shared object file: No such file or directory"},
    {"CC205", "Call to cuModuleLoadDataEx results in CUDA_ERROR_INVALID_PTX: a PTX compilation problem"},
    {"CC607", "W0000 gpu_device.cc:2431] TensorFlow was not built with CUDA kernel binaries compatible with compute "
              "capability 12.0. CUDA kernels will be jit-compiled from PTX, which could take 30 minutes or longer."},
    {"CC607", "'cuLaunchKernel(function, gridX)' failed with 'CUDA_ERROR_INVALID_HANDLE'"},
    {"CC607", "Found GPU0 NVIDIA GB10 which is of cuda capability 12.1."},
    {"CC210", "UserWarning: CUDA initialization: CUDA unknown error"},
    {"CC607", "The current PyTorch install supports CUDA capabilities sm_50 sm_60 sm_70 sm_75 sm_80 sm_86 sm_90."},
};

const Pasted k_libraries[] = {
    {"CC301", "Error: Could not load library libcudnn_cnn_infer.so.8"},
    {"CC301", "libcudnn.so.8: cannot open shared object file: No such file or directory"},
    {"CC302", "RuntimeError: cuDNN version incompatibility: PyTorch was compiled  against (9, 1, 0) but found "
              "runtime version (8, 9, 7)."},
    {"CC302", "CUDA backend failed to initialize: Found cuDNN version 8700, but JAX was built against version 8904"},
    {"CC303", "libcudnn_ops_train.so.8: symbol _Z22cudnnGenericOp, version libcudnn_ops_infer.so.8 not defined in "
              "file libcudnn_ops_infer.so.8 with link time reference"},
    {"CC303", "libcudnn_cnn_infer.so.8: undefined symbol: _ZN5cudnn3ops18GetInternalStreams, version "
              "libcudnn_ops_infer.so.8"},
    {"CC305", "libcudnn.so.9: cannot open shared object file: No such file or directory"},
    {"CC305", "Unable to load any of {libcudnn_ops.so.9.1.0, libcudnn_ops.so.9.1, libcudnn_ops.so.9}"},
    {"CC305", "Unable to initialize backend 'cuda': Unable to load cuDNN. Is it installed?"},
    {"CC401", "ImportError: libcublas.so.11: cannot open shared object file: No such file or directory"},
    {"CC401", "Could not load dynamic library 'libcudart.so.11.0'; dlerror: libcudart.so.11.0: not found"},
    {"CC401", "Could not load library libcublasLt.so.12. Error: libcublasLt.so.12: cannot open shared object file: "
              "No such file or directory"},
    {"CC402", "libcusparse.so.12: undefined symbol: __nvJitLinkAddData_12_1, version libnvJitLink.so.12"},
    {"CC402", "libcublas.so.11: undefined symbol: cublasLtGetStatusString, version libcublasLt.so.11"},
    {"CC402", "Attempting to perform BLAS operation using StreamExecutor without BLAS support"},
    {"CC403", "Unable to load cuSPARSE. Is it installed?"},
    {"CC401", "Unable to load CUPTI. Is it installed?"},
    {"CC405", "nvrtc: error: failed to open libnvrtc-builtins.so.11.1."},
    {"CC501", "FAIL : LoadLibrary failed with error 126 \"\" when trying to load \"onnxruntime_providers_cuda.dll\""},
    {"CC501", "Library cublas64_12.dll is not found or cannot be loaded"},
    {"CC612", "NotImplementedError: Could not run 'torchvision::nms' with arguments from the 'CUDA' backend."},
    {"CC619", "x.so: undefined symbol: _ZN2at4_ops9fmod_outer4callERKNS_6TensorES4_"},
};

template <std::size_t N>
void find_all(const Pasted (&lines)[N]) {
    for (const Pasted& pasted : lines) {
        CAPTURE(std::string(pasted.line));
        CHECK(code_for_text(pasted.line) == std::string(pasted.code));
    }
}

}  // namespace

TEST_CASE("pasted lines match their page, whatever numbers and paths they contain") {
    find_all(k_toolkits);
    find_all(k_drivers);
    find_all(k_libraries);
}

TEST_CASE("unrelated lines match no page") {
    for (const char* line : {"", "x", "ptx", "banana", "line 222 of main.cu", "Segmentation fault (core dumped)",
                             "OutOfMemoryError: CUDA out of memory. Tried to allocate 20.00 MiB", "error 999",
                             "ModuleNotFoundError: No module named 'numpy'", "warning: 35 files were skipped"}) {
        CAPTURE(line);
        CHECK(code_for_text(line).empty());
    }
}

TEST_CASE("any number matches any other, except in an error number") {
    CHECK(text_fit("Value 'sm_121' is not defined for option", "value sm_89a is not defined for option x"));
    CHECK(text_fit("CUDA error 222", "error 222"));
    CHECK_FALSE(text_fit("CUDA error 222", "CUDA error 223"));
    CHECK(text_fit("Could not load library libcudnn*", "Could not load library libcudnn_adv.so.9"));
    CHECK_FALSE(text_fit("Could not load library libcudnn*", "Could not load library libcublas.so.12"));
    CHECK(text_fit("Input file * newer than toolkit", "Input file '/tmp/a-b.o' newer than toolkit"));
    CHECK_FALSE(text_fit("Input file * newer than toolkit", "Input file is older than toolkit"));
}
