// Other languages, symbols, package managers, processes; and what looks like a fault and is none.
// SPDX-License-Identifier: Apache-2.0
#include "class.hpp"

using namespace ptxguard;

TEST_CASE("headers that another release of CUDA has") {
    check_classes({
        {"CC105 likely", "include/cccl",
         "Cuda compilation tools, release 13.0, V13.0.88\na.cuh:5:10: fatal error: thrust/sort.h: No such "
         "file or directory"},
        {"CC105 likely", "thrust/sort.h",
         "Cuda compilation tools, release 12.4, V12.4.131\na.cuh:5:10: fatal error: thrust/sort.h: No such "
         "file or directory"},
        {"CC104 likely", "another CUB",
         "/usr/local/cuda/include/thrust/system/cuda/detail/core/util.h(534): error: namespace "
         "\"thrust::cub\" has no "
         "member \"BlockLoad\""},
        {"CC601 likely", "another release of cuDNN",
         "error: 'CUDNN_CONVOLUTION_FWD_PREFER_FASTEST' was not declared in this scope"},
        {"CC601 likely", "another release of CUDA",
         "a.cu(3): error: identifier \"cudaUnbindTexture\" is undefined"},
    });
    CHECK(first_answer("error: 'my_kernel' was not declared in this scope") == "");
}

TEST_CASE("NVRTC, and MXNet's checks") {
    check_classes({
        {"CC405 certain", "builtins",
         "cupy.cuda.compiler.CompileException: nvrtc: error: failed to load builtins"},
        {"CC405 certain", "builtins", "nvrtc: error: failed to load builtins for compute_30."},
        {"CC203 likely", "(sm_89)", "Options: --gpu-architecture=sm_89\nNVRTC_ERROR_INVALID_OPTION"},
        {"CC604 certain", "without CUDA", "MXNetError: src/ndarray/ndarray.cc:1285: GPU is not enable"},
    });
}

TEST_CASE("lines of the journal and of the kernel") {
    check_classes({
        {"CC612 certain", "PyTorch 2.10.0+cu128",
         "Aug 12 10:38:34 host app[12]: xFormers was built for:\nAug 12 10:38:34 host app[12]:     PyTorch "
         "2.10.0+cu128 with "
         "CUDA 1208 (you have 2.11.0+cu130)"},
        {"CC210 certain", "another driver",
         "[    7.123456] NVRM: This can occur when a driver such as: \n[    7.123460] NVRM: nouveau, rivafb, "
         "nvidiafb"},
    });
}

TEST_CASE("messages in other languages") {
    check_classes({
        {"CC401 certain", "libcublas.so.11",
         "ImportError: libcublas.so.11: 无法打开共享对象文件: 没有那个文件或目录"},
        {"CC105 likely", "cudart", "/usr/bin/ld: 找不到 -lcudart"},
        {"CC105 likely", "cufft", "/usr/bin/ld: kann -lcufft nicht finden"},
        {"CC105 likely", "cublas_v2.h", "a.cpp:1:10: 致命错误：cublas_v2.h：没有那个文件或目录"},
        {"CC503 likely", "DLL", "ImportError: DLL load failed while importing _C: 找不到指定的程序。"},
    });
}

TEST_CASE("symbols of PyTorch 1 and of Python") {
    check_classes({
        {"CC619 likely", "another release",
         "x.so: undefined symbol: _ZN6caffe26detail37_typeMetaDataInstance_preallocated_32E"},
        {"CC619 likely", "another release", "x.so: undefined symbol: THCudaMalloc"},
        {"other likely", "another Python", "x.so: undefined symbol: PyUnicodeUCS4_FromString"},
    });
}

TEST_CASE("a cuDNN that the framework of the log needs") {
    const std::string missing =
        "ImportError: libcudnn.so.9: cannot open shared object file: No such file or directory\n";
    CHECK(first_answer("PyTorch version: 2.5.1+cu124\n" + missing) ==
          "CC305 likely: PyTorch 2.5.1+cu124 finds no cuDNN 9: libcudnn.so.9 is missing");
    CHECK(first_answer(missing) == "CC305 likely: cuDNN is not found: libcudnn.so.9");
}

TEST_CASE("package managers") {
    check_classes({
        {"other certain", "A4B469963BF863CC",
         "W: GPG error: https://x InRelease: The following signatures couldn't be verified because the "
         "public key is "
         "not available: NO_PUBKEY A4B469963BF863CC"},
        {"other certain", "changed while it was read",
         "E: Failed to fetch https://x/Packages.gz  Hash Sum mismatch"},
        {"CC612 likely", "cuda-drivers",
         " cuda-12-2 : Depends: cuda-drivers (>= 535.54.03) but it is not going to be installed\n"
         "E: Unable to correct problems, you have held broken packages."},
        {"CC620 likely", "cudatoolkit=11.7",
         "PackagesNotFoundError: The following packages are not available from current channels:\n\n"
         "  - cudatoolkit=11.7\n"},
        {"CC620 likely", "cudatoolkit=10", "ResolvePackageNotFound: \n  - cudatoolkit=10"},
        {"CC612 likely", "nvidia-cudnn-cu12==9.1.0.70 and nvidia-cudnn-cu12==8.9.2.26",
         "The conflict is caused by:\n    The user requested nvidia-cudnn-cu12==9.1.0.70\n    The user "
         "requested "
         "nvidia-cudnn-cu12==8.9.2.26"},
        {"CC620 likely", "cuda-toolkit-12-9", "Error: No match for argument: cuda-toolkit-12-9"},
        {"CC613 certain", "torch",
         "hint: You require CPython 3.14 (`cp314`), but we only found wheels for `torch` (v2.7.1) with"},
        {"CC614 certain", "index", "The package is only a placeholder project on PyPI.org repository."},
        {"CC613 likely", "torch",
         "Could not find a version that satisfies the requirement torch (from versions: none)"},
        {"CC613 possible", "cupy-cuda13x",
         "Could not find a version that satisfies the requirement cupy-cuda13x (from versions: none)"},
        {"CC604 certain", "PyTorch 2.1.2+cpu",
         "WARNING[XFORMERS]: xFormers can't load C++/CUDA extensions. xFormers was built for:\n"
         "    PyTorch 2.1.2+cu121 with CUDA 1201 (you have 2.1.2+cpu)"},
        {"CC612 certain", "built for PyTorch 2.10.0+cu128, but PyTorch 2.11.0+cu130 is installed",
         "xFormers was built for:\n    PyTorch 2.10.0+cu128 with CUDA 1208 (you have 2.11.0+cu130)"},
        {"CC612 certain", "jax_cuda12_plugin 0.9.2 and jaxlib 0.9.0",
         "JAX plugin jax_cuda12_plugin version 0.9.2 is installed, but it is not compatible with the "
         "installed jaxlib "
         "version 0.9.0, so it will not be used."},
    });
}

TEST_CASE("processes that talk to each other") {
    check_classes({
        {"other certain", "/dev/shm",
         "node1:27:302 [0] include/shm.h:27 NCCL WARN Call to shm_open failed : Permission denied"},
        {"other certain", "/dev/shm",
         "RuntimeError: DataLoader worker is killed by signal: Bus error. It is possible that dataloader's "
         "workers are "
         "out of shared memory. ERROR: Unexpected bus error encountered in worker. This might be caused by "
         "insufficient shared memory (shm)."},
        {"other possible", "NCCL_DEBUG=WARN", "a.cu:77 NCCL failure common.cu:777 'unhandled system error'"},
        {"other certain", "NCCL", "NCCL WARN Bootstrap : no socket interface found"},
    });
}

TEST_CASE("what looks like one of these faults and is none") {
    for (const char* log :
         {"NCCL INFO NET/Plugin : Plugin load (libnccl-net.so) returned 2 : libnccl-net.so: cannot open "
          "shared object "
          "file: No such file or directory\n",
          "node1:27:27 [0] NCCL INFO NET/Plugin: Could not find: libnccl-net.so\n",
          "NET/Plugin: Failed to find libnccl-tuner.so: libnccl-tuner.so: cannot open shared object file\n",
          "-- Found Git: /usr/bin/git\nbash: left-pad: command not found\n",
          " 12: file=libcusparse.so.12 [0];  needed by "
          "/v/site-packages/nvidia/cusolver/lib/libcusolver.so.11 [0]\n"
          " 12:  search path=/opt/cuda/lib64\t\t(LD_LIBRARY_PATH)\n"
          " 12:   trying file=/opt/cuda/lib64/libcusparse.so.12\n"
          " 12:  search path=/v/site-packages/nvidia/cusparse/lib\t\t(RUNPATH)\n"
          " 12:   trying file=/v/site-packages/nvidia/cusparse/lib/libcusparse.so.12\n",
          "dpkg: trying to overwrite '/usr/bin/left-pad', which is also in package other 1.0\n",
          "left-pad : Depends: libfoo (>= 2) but it is not going to be installed\n",
          "Hint: the docker run --gpus all option selects GPUs\n"}) {
        CAPTURE(std::string(log));
        CHECK(first_answer(log) == "");
    }
}

TEST_CASE("a source for another release of CUDA") {
    check_classes({
        {"CC601 likely", "cuMemAdvise has other parameters",
         "a.c:9:3: error: too few arguments to function ‘CUresult cuMemAdvise_v2(CUdeviceptr, size_t, "
         "CUmem_advise, CUmemLocation)’"},
        {"CC601 likely", "cudaMemPrefetchAsync has other parameters",
         "a.cpp:7:25: error: no matching function for call to 'cudaMemPrefetchAsync'"},
        {"CC601 likely", "clockRate is not in its headers",
         "a.cu(31): error: class \"cudaDeviceProp\" has no member \"clockRate\""},
        {"CC601 likely", "computeMode is not in its headers",
         "a.cpp:5:9: error: 'struct cudaDeviceProp' has no member named 'computeMode'"},
        {"CC601 likely", "unary_function is not in its headers",
         "a.cu(12): error: namespace \"thrust\" has no member \"unary_function\""},
    });
    // The program's own mistakes.
    CHECK(first_answer("a.cpp:7:25: error: no matching function for call to 'cudaMalloc(int)'") == "");
    CHECK(first_answer("a.cpp:5:9: error: 'struct Options' has no member named 'computeMode'") == "");
    CHECK(first_answer("a.cpp:5:9: error: too few arguments to function 'void run(int, int)'") == "");
}

TEST_CASE("the host compiler in the words of host_config.h") {
    check_classes({
        {"CC108 certain", "gcc newer than 12 is refused",
         "host_config.h:143:2: error: #error -- unsupported GNU version! gcc versions later than 12 are not "
         "supported!"},
        {"CC108 certain", "clang 16 and newer are refused",
         "#error -- unsupported clang version! clang version must be less than 16 and greater than 3.2 ."},
        {"CC108 certain", "nvcc 11.8 does not support this Visual Studio: it reads 2017 to 2022",
         "C:\\Program Files\\NVIDIA GPU Computing Toolkit\\CUDA\\v11.8\\include\\crt/host_config.h(153): "
         "fatal "
         "error C1189: #error:  -- unsupported Microsoft Visual Studio version! Only the versions between "
         "2017 "
         "and 2022 (inclusive) are supported!"},
    });
}

TEST_CASE("PTX and NVVM IR, by who reads them") {
    const std::string refused = "fatal   : Unsupported .version 8.8; current version is '8.4'";
    CHECK(first_answer(refused).substr(0, 12) == "CC201 likely");
    CHECK(first_answer("cuModuleLoadData failed\n" + refused).substr(0, 12) == "CC202 likely");
    check_classes({
        {"CC215 certain", "the program is older than this CUDA: libNVVM no longer reads the IR",
         "IR version 1.7 incompatible with current version 2.0\nNVVM_ERROR_IR_VERSION_MISMATCH"},
        {"CC215 certain", "libNVVM of this CUDA is older",
         "IR version 2.1 incompatible with current version 2.0\nNVVM_ERROR_COMPILATION"},
        {"CC215 certain", "nvJitLink is older",
         "error: incompatible IR detected. Possible mix of compiler/IR from different releases."},
        {"CC215 likely", "libNVVM does not read", "NVVM_ERROR_IR_VERSION_MISMATCH"},
    });
}

TEST_CASE("the driver's libraries, by the name that is missing") {
    check_classes({
        {"CC105 likely", "-lcuda", "/usr/bin/ld: cannot find -lcuda: No such file or directory"},
        {"CC208 certain", "it has no cuMemAddressReserve",
         "The procedure entry point cuMemAddressReserve could not be located in the dynamic link library "
         "nvcuda.dll"},
        {"CC208 certain", "it has no cuMemCreate",
         "System.EntryPointNotFoundException: Unable to find an entry point named 'cuMemCreate' in DLL "
         "'nvcuda.dll'."},
        {"CC503 certain", "cublas64_11.dll lacks a function",
         "The procedure entry point cublasGemmEx_64 could not be located in the dynamic link library "
         "cublas64_11.dll"},
        {"CC401 certain", "the build is for CUDA 11",
         "OSError: libcublas.so.11: cannot open shared object file: No such file or directory"},
        {"CC501 likely", "nvrtc.dll",
         "Unable to find nvrtc lib under the names [\"nvrtc\", \"nvrtc64\", \"nvrtc64_12\"]."},
    });
}

TEST_CASE("the same message from a container, WSL and a build") {
    const std::string no_driver = "RuntimeError: Found no NVIDIA driver on your system.";
    check_classes({
        {"CC210 certain", "started without its GPUs",
         "worker-1  | RuntimeError: Found no NVIDIA driver on your system."},
        {"CC210 certain", "started without its GPUs",
         "$ docker compose up\nRuntimeError: Found no NVIDIA driver on your system."},
        {"CC218 likely", "in WSL",
         "File \"/mnt/c/Users/me/run.py\", line 2\nnumba.cuda.cudadrv.error.CudaSupportError: Error at "
         "driver "
         "init: Call to cuInit results in CUDA_ERROR_NO_DEVICE (100)"},
        {"CC622 likely", "isolated",
         "$ pip install causal-conv1d==1.5.0\nModuleNotFoundError: No module named 'torch'"},
        {"other likely", "a Python package is missing: torch",
         "$ python train.py\nModuleNotFoundError: No module named 'torch'"},
        {"other certain", "its path has letters",
         "cupy.cuda.compiler.CompileException: Catastrophic error: cannot open source file "
         "\"C:\\Users\\Jörg\\AppData\\Local\\Temp\\tmpq1\\a.cu\""},
    });
    CHECK(first_answer(no_driver).find("not installed") != std::string::npos);
}
