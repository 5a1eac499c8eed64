// Members of classes that logs of many projects have: builds, linking, containers, indexes.
// SPDX-License-Identifier: Apache-2.0
#include "class.hpp"

using namespace ptxguard;

TEST_CASE("extensions that were not compiled, and programs without CUDA") {
    check_classes({
        {"CC618 likely", "amp_C is missing", "ModuleNotFoundError: No module named 'amp_C'"},
        {"CC618 likely", "mmcv._ext is missing", "ModuleNotFoundError: No module named 'mmcv._ext'"},
        {"CC618 likely", "selective_scan_cuda", "ImportError: No module named 'selective_scan_cuda'"},
        {"other likely", "a Python package is missing: einops", "No module named 'einops'"},
        {"CC604 certain", "the program or library is a build without CUDA",
         "ValueError: This CTranslate2 package was not compiled with CUDA support"},
        {"CC604 likely", "PyTorch 2.1.0",
         "pytorch                   2.1.0               py3.10_cpu_0    pytorch"},
        {"CC607 certain", "Triton",
         "RuntimeError: Found Tesla P40 which is too old to be supported by the triton GPU compiler"},
    });
}

TEST_CASE("who is older: nvcc, clang, the host compiler, the container") {
    check_classes({
        {"CC203 certain", "nvcc 11.4.152 is older than the word 'all-major'",
         "Cuda compilation tools, release 11.4, V11.4.152\nnvcc fatal   : Value 'all-major' is not defined "
         "for "
         "option 'gpu-architecture'"},
        {"CC203 certain", "CMake resolves it",
         "nvcc fatal   : Unsupported gpu architecture 'compute_native'"},
        {"CC108 likely", "clang is older",
         "clang++: error: cannot find libdevice for sm_70; provide path to different CUDA installation via "
         "'--cuda-path'"},
        {"CC106 likely", "no CUDA toolkit",
         "clang++: error: cannot find CUDA installation; provide its path via '--cuda-path'"},
        {"CC108 likely", "headers of this host compiler",
         "a.cuh(9): error: identifier \"_Float64x\" is undefined"},
        {"CC108 likely", "headers of this host compiler", "error: user-defined literal operator not found"},
        {"CC406 certain", "the container's glibc",
         "/lib/libc.so.6: version `GLIBC_2.38' not found (required by "
         "/.singularity.d/libs/libEGL_nvidia.so.0)"},
    });
}

TEST_CASE("what a machine lacks, by the rest of the log") {
    check_classes({
        {"CC210 likely", "driver is not installed",
         "error string: CUDA driver version is insufficient for CUDA runtime version\nbash: nvidia-smi: "
         "command "
         "not found"},
        {"CC208 likely", "too old",
         "Driver Version: 460.32.03\nCUDA driver version is insufficient for CUDA runtime version\nbash: "
         "nvidia-smi: command not found"},
        {"CC401 certain", "the build is for CUDA 11",
         "OSError: libcusparse.so.11: cannot open shared object file: No such file or directory"},
        {"CC401 certain", "the build is for CUDA 9.2",
         "OSError: libcusolver.so.9.2: cannot open shared object file: No such file or directory"},
        {"CC401 certain", "JetPack 4",
         "FROM nvcr.io/nvidia/l4t-base:x l4t-r32.7.1\nOSError: libcublas.so.10: cannot open shared object "
         "file: No "
         "such file or directory"},
        {"CC601 certain", "CUDA 13.1",
         "Unsupported cuda toolkit version: `13010`. Please raise a github issue."},
        {"other certain", "/dev/shm", "Error while creating shared memory segment /dev/shm/nccl-a (size 5)"},
        {"other certain", "disk is full", "OSError: [Errno 122] Disk quota exceeded"},
        {"other certain", "memory is used up",
         "OSError: [WinError 1455] The paging file is too small for this operation to complete. Error "
         "loading "
         "\"C:\\torch\\lib\\cufft64_10.dll\" or one of its dependencies."},
    });
}

TEST_CASE("libraries that are not linked, and packages from the wrong index") {
    check_classes({
        {"CC105 likely", "cuStreamWaitEvent is in libcuda",
         "ld: a.o: undefined reference to `cuStreamWaitEvent'"},
        {"CC105 likely", "cudaFree is in libcudart", "a.cpp:(.text+0x1): undefined reference to `cudaFree'"},
        {"CC105 likely", "cuCtxGetCurrent is in libcuda",
         "a.obj : error LNK2019: unresolved external symbol cuCtxGetCurrent referenced in function main"},
        {"CC105 likely", "cuMemCreate is in libcuda", "libx.so: undefined symbol: cuMemCreate"},
        {"CC208 likely", "it has no cuTensorMapEncodeTiled",
         "libx.so: undefined symbol: cuTensorMapEncodeTiled"},
        {"CC614 certain", "jinja2==3.1.4 is taken from PyTorch's package index",
         "error: Distribution `jinja2==3.1.4 @ registry+https://download.pytorch.org/whl/cu128` can't be "
         "installed because it doesn't have a source distribution or wheel for the current platform"},
        {"CC613 certain", "torch",
         "error: Distribution `torch==2.7.0 @ registry+https://download.pytorch.org/whl/cu128` can't be "
         "installed because it doesn't have a source distribution or wheel for the current platform"},
        {"CC604 certain", "a build without CUDA",
         "Check failed: allow_missing: Device API cuda is not enabled. Please install the cuda version of "
         "dgl."},
        {"CC401 certain", "libcusparse.so",
         "Unable to dynamically load the \"cusparse\" shared library - searched for library names: "
         "[\"cusparse\"]"},
        {"CC210 certain", "kernel module was not built",
         "NVIDIA-SMI has failed because it couldn't communicate with the NVIDIA driver\nError! Bad return "
         "status for "
         "module build on kernel: 6.8.0 (x86_64)"},
        {"CC210 possible", "kernel module was not built",
         "Error! Bad return status for module build on kernel: 6.8.0"},
    });
    CHECK(first_answer("a.cpp: undefined reference to `custom_sort'") == "");
}

TEST_CASE("sources that are older than what is installed") {
    check_classes({
        {"CC619 likely", "THCState", "a.cpp(3): error: identifier \"THCState\" is undefined"},
        {"CC619 likely", "AT_CHECK", "a.cpp:9:5: error: 'AT_CHECK' was not declared in this scope"},
        {"CC619 certain", "THC/THCGeneral.h",
         "a.cpp:1:10: fatal error: THC/THCGeneral.h: No such file or directory"},
        {"CC612 likely", "another major of TensorRT",
         "AttributeError: 'tensorrt.tensorrt.ICudaEngine' object has no attribute 'num_bindings'"},
        {"other likely", "<cstdint>", "a.h(7): error: namespace \"std\" has no member \"uint64_t\""},
        {"CC601 certain", "CUDA 12.4 or newer is required",
         "Unsupported CUDA version \"11.8\"\n Currently supported versions are: \"12.4\""},
        {"CC601 certain", "does not know this CUDA toolkit yet: CUDA 13.0",
         "Unsupported CUDA version \"13.0\"\n Currently supported versions are: \"12.4\""},
        {"CC302 likely", "cuDNN 8.6 but loads the older 8.5",
         "The installed Paddle is compiled with CUDNN 8.6, but CUDNN version in your machine is 8.5"},
    });
}

TEST_CASE("Visual Studio, kernels, indexes") {
    check_classes({
        {"CC106 likely", "Visual Studio has no files", "CMake Error: No CUDA toolset found."},
        {"CC106 certain", "Visual Studio has no files",
         "error MSB4019: The imported project \"C:\\VS\\BuildCustomizations\\CUDA 12.2.props\" was not "
         "found."},
        {"CC108 certain", "32 bit",
         "C:\\CUDA\\v12.4\\include\\cuda_bf16.hpp(77): error: asm operand type size(8) does not match "
         "type/size "
         "implied by constraint 'r'"},
        {"CC210 likely", "kernel module was not built",
         "/var/lib/dkms/nvidia/x/nvidia-drm/nvidia-drm-drv.c:66:10: error: implicit declaration of function"},
        {"CC614 likely", "torch==2.9.0",
         "Looking in indexes: https://download.pytorch.org/whl/cu133\nERROR: Could not find a version that "
         "satisfies "
         "the requirement torch==2.9.0 (from versions: none)"},
        {"CC204 certain", "no code for this GPU",
         "CUDA GPU is too old. Falling back to CPU mode. Compute Capability detected: 3.5"},
        {"CC218 likely", "in WSL",
         "Linux version 5.15.153.1-microsoft-standard-WSL2\nNVIDIA-SMI has failed because it couldn't "
         "communicate with "
         "the NVIDIA driver."},
    });
}
