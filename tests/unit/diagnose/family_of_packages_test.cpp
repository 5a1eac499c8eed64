// Messages of whole families, as tools write them: CuPy, Numba and packages beside PyTorch.
// SPDX-License-Identifier: Apache-2.0
#include "class.hpp"

using namespace ptxguard;

TEST_CASE("packages: cupy numba cuda-python") {
    check_classes({
        {"CC401 certain", "libcublas.so.11 is not found",
         "ImportError: \n================================================================\nFailed to import "
         "CuPy.\n\nIf you installed CuPy via wheels (cupy-cudaXXX or cupy-rocm-X-X), make sure that the "
         "package matches with the version of CUDA or ROCm installed.\n\nOriginal error:\n  ImportError: "
         "libcublas.so.11: cannot open shared object file: No such file or directory"},
        {"CC401 certain", "libnvrtc.so.12 is not found",
         "RuntimeError: CuPy failed to load libnvrtc.so.12: OSError: libnvrtc.so.12: cannot open shared "
         "object file: No such file or directory"},
        {"CC501 likely", "nvrtc64_120_0.dll, or a DLL that it needs, i",
         "RuntimeError: CuPy failed to load nvrtc64_120_0.dll: FileNotFoundError: Could not find module "
         "'nvrtc64_120_0.dll' (or one of its dependencies)."},
        {"CC401 certain", "libcublas.so.12 is not found",
         "RuntimeError: CuPy failed to load libcublas.so.12"},
        {"CC203 certain", "NVRTC does not support this GPU",
         "cupy.cuda.compiler.CompileException: nvrtc: error: invalid value for --gpu-architecture (-arch)"},
        {"CC115 likely", "NVRTC reads CUDA headers of another release",
         "cupy.cuda.compiler.CompileException: /usr/local/cuda/include/cuda_fp16.hpp(2103): error: more than "
         "one instance of overloaded function \"isnan\" matches the argument list"},
        {"CC105 likely", "a part of the CUDA toolkit is missing",
         "catastrophic error: cannot open source file \"cuda_fp16.h\""},
        {"CC208 likely", "the driver is too old for the CUDA runtime o",
         "cupy_backends.cuda.api.runtime.CUDARuntimeError: cudaErrorInsufficientDriver: CUDA driver version "
         "is insufficient for CUDA runtime version"},
        {"CC210 likely", "the driver reports no GPU",
         "cupy_backends.cuda.api.runtime.CUDARuntimeError: cudaErrorNoDevice: no CUDA-capable device is "
         "detected"},
        {"CC210 likely", "the driver cannot be initialised and gives n",
         "cupy_backends.cuda.api.runtime.CUDARuntimeError: cudaErrorUnknown: unknown error"},
        {"other certain", "the GPU's memory is used up",
         "cupy.cuda.memory.OutOfMemoryError: Out of memory allocating 4,000,000,000 bytes"},
        {"CC612 certain", "packages that must fit each other are from d",
         "UserWarning: CuPy may not function correctly because multiple CuPy packages are installed in your "
         "environment: cupy, cupy-cuda11x"},
        {"CC210 likely", "the NVIDIA driver is not installed, not load",
         "numba.cuda.cudadrv.error.CudaSupportError: Error at driver init: \nCall to cuInit results in "
         "CUDA_ERROR_NO_DEVICE (100)"},
        {"CC210 certain", "the NVIDIA driver is not installed, not load",
         "numba.cuda.cudadrv.error.CudaSupportError: Error at driver init: \n\nCUDA driver library cannot be "
         "found.\nIf you are sure that a CUDA driver is installed,\ntry setting environment variable "
         "NUMBA_CUDA_DRIVER\nwith the file path of the CUDA driver shared library."},
        {"CC105 certain", "a part of the CUDA toolkit is missing",
         "numba.cuda.cudadrv.nvvm.NvvmSupportError: libNVVM cannot be found. Do `conda install cudatoolkit`: "
         "libnvvm.so: cannot open shared object file: No such file or directory"},
        {"CC203 certain", "the compiler does not support this GPU",
         "numba.cuda.cudadrv.error.NvvmSupportError: GPU compute capability 3.0 is not supported (requires "
         ">=3.5)"},
        {"CC105 likely", "a part of the CUDA toolkit is missing",
         "FileNotFoundError: libdevice: ... Missing libdevice file.\nPlease ensure you have a CUDA Toolkit "
         "11.2 or higher."},
        {"CC202 certain", "the driver is older than the compiler of thi",
         "numba.cuda.cudadrv.driver.CudaAPIError: [222] Call to cuLinkAddData results in UNKNOWN_CUDA_ERROR"},
        {"CC210 likely", "the driver cannot be initialised and gives n",
         "numba.cuda.cudadrv.driver.CudaAPIError: [999] Call to cuInit results in CUDA_ERROR_UNKNOWN"},
        {"other certain", "a kernel of the program accesses memory that",
         "numba.cuda.cudadrv.driver.CudaAPIError: [700] Call to cuMemcpyDtoH results in UNKNOWN_CUDA_ERROR"},
        {"other likely", "the GPU's memory is used up",
         "numba.cuda.cudadrv.driver.CudaAPIError: [2] Call to cuMemAlloc results in "
         "CUDA_ERROR_OUT_OF_MEMORY"},
        {"CC208 likely", "the driver is too old for the CUDA runtime o",
         "cuda.bindings RuntimeError: Function \"cuGetProcAddress_v2\" not found"},
        {"CC401 certain", "libcudart.so.12 is not found", "RuntimeError: Failed to dlopen libcudart.so.12"},
        {"CC401 certain", "libnvJitLink.so is not found",
         "cuda.pathfinder DynamicLibNotFoundError: Failure finding \"libnvJitLink.so\": No such file"},
        {"CC401 certain", "libcublas.so is not found",
         "DynamicLibNotFoundError: Failure finding \"libcublas.so\""},
        {"CC208 likely", "the driver is too old for the CUDA runtime o",
         "rmm._cuda.gpu.CUDARuntimeError: cudaErrorInsufficientDriver: CUDA driver version is insufficient "
         "for CUDA runtime version"},
        {"CC210 possible", "the driver cannot be initialised",
         "rmm cudaErrorInitializationError: initialization error"},
        {"CC607 certain", "the installed framework has no code for this",
         "A GPU with NVIDIA Volta (Compute Capability 7.0) or newer architecture is required.\nDetected GPU "
         "0: NVIDIA GeForce GTX 1080"},
        {"CC204 likely", "a program, library or extension has no code ",
         "for_each: failed to synchronize: cudaErrorNoKernelImageForDevice: no kernel image is available for "
         "execution on the device"},
        {"CC204 likely", "a program, library or extension has no code ",
         "parallel_for failed: cudaErrorInvalidDeviceFunction: invalid device function"},
        {"CC202 certain", "the driver is older than the compiler of thi",
         "thrust::system::system_error: after determining tmp storage requirements for exclusive_scan: "
         "cudaErrorUnsupportedPtxVersion: the provided PTX was compiled with an unsupported toolchain."},
        {"other certain", "a kernel of the program accesses memory that",
         "thrust::system::system_error what():  CUDA free failed: cudaErrorIllegalAddress: an illegal memory "
         "access was encountered"},
        {"other likely", "the machine's memory is used up",
         "thrust::system::detail::bad_alloc what(): std::bad_alloc: cudaErrorMemoryAllocation: out of "
         "memory"},
    });
}

TEST_CASE("packages: bnb") {
    check_classes({
        {"CC401 likely", "a library of CUDA is not found",
         "RuntimeError: CUDA Setup failed despite GPU being available. Please run the following command to "
         "get more information:"},
        {"CC604 likely", "the installed framework is a build without C",
         "UserWarning: The installed version of bitsandbytes was compiled without GPU support. 8-bit "
         "optimizers, 8-bit multiplication, and GPU quantization are unavailable."},
        {"CC401 likely", "a library of CUDA is not found",
         "CUDA SETUP: Problem: The main issue seems to be that the main CUDA library was not detected."},
        {"CC401 likely", "a library of CUDA is not found",
         "CUDA SETUP: WARNING! libcudart.so not found in any environmental path. Searching "
         "/usr/local/cuda/lib64..."},
        {"CC401 likely", "a library of CUDA is not found",
         "CUDA SETUP: CUDA detection failed! Possible reasons:\n1. You need to manually override the PyTorch "
         "CUDA version."},
        {"CC401 likely", "a library of CUDA is not found",
         "Could not find the bitsandbytes CUDA binary at "
         "PosixPath('/site-packages/bitsandbytes/libbitsandbytes_cuda124.so')"},
        {"CC401 likely", "a library of CUDA is not found",
         "RuntimeError: Configured CUDA binary not found at "
         "/site-packages/bitsandbytes/libbitsandbytes_cuda130.so"},
        {"CC406 certain", "/lib/x86_64-linux-gnu/libstdc++.so.6 is too ",
         "Could not load bitsandbytes native library: /lib/x86_64-linux-gnu/libstdc++.so.6: version "
         "`GLIBCXX_3.4.29' not found (required by /site-packages/bitsandbytes/libbitsandbytes_cuda121.so)"},
        {"CC406 certain", "this system's glibc is too old",
         "Could not load bitsandbytes native library: /lib64/libc.so.6: version `GLIBC_2.34' not found"},
        {"CC604 likely", "the installed framework is a build without C",
         "NameError: name 'str2optimizer32bit' is not defined"},
        {"CC604 likely", "the installed framework is a build without C",
         "AttributeError: 'NoneType' object has no attribute 'cget_col_row_stats'"},
        {"CC604 likely", "the installed framework is a build without C",
         "AttributeError: /site-packages/bitsandbytes/libbitsandbytes_cpu.so: undefined symbol: "
         "cget_col_row_stats"},
        {"CC604 likely", "the framework does not see CUDA",
         "RuntimeError: CUDA is required but not available for bitsandbytes. Please consider installing the "
         "multi-platform enabled version of bitsandbytes"},
        {"CC604 likely", "the framework does not see CUDA",
         "RuntimeError: No GPU found. A GPU is needed for quantization."},
        {"CC204 likely", "a program, library or extension has no code ",
         "Error no kernel image is available for execution on the device at line 167 in file "
         "/src/csrc/ops.cu"},
        {"CC204 possible", "a program, library or extension has no code ",
         "Error named symbol not found at line 529 in file /src/csrc/ops.cu"},
        {"CC204 likely", "a program, library or extension has no code ",
         "Error invalid device function at line 508 in file D:\\ai\\tool\\bitsandbytes\\csrc\\ops.cu"},
        {"CC407 possible", "cuBLAS failed", "cuBLAS API failed with status 15"},
    });
}

TEST_CASE("packages: flash-attn, xformers, others") {
    check_classes({
        {"CC607 certain", "the program, or a part of it, does not suppo",
         "RuntimeError: FlashAttention only supports Ampere GPUs or newer."},
        {"CC601 likely", "the CUDA toolkit is too old",
         "RuntimeError: FlashAttention is only supported on CUDA 11.7 and above.  Note: make sure nvcc has a "
         "supported version by running nvcc -V."},
        {"CC619 likely", "an extension was compiled for another releas",
         "ImportError: /site-packages/flash_attn_2_cuda.cpython-310-x86_64-linux-gnu.so: undefined symbol: "
         "_ZN3c104cuda14ExchangeDeviceEa"},
        {"CC501 likely", "a DLL, or one that it needs, is not found",
         "ImportError: DLL load failed while importing flash_attn_2_cuda: The specified module could not be "
         "found."},
        {"CC619 likely", "an extension was compiled for another releas",
         "ImportError: DLL load failed while importing flash_attn_2_cuda: The specified procedure could not "
         "be found."},
        {"CC106 likely", "no CUDA toolkit with nvcc is found",
         "UserWarning: fused_dense_lib was requested, but nvcc was not found.  Are you sure your environment "
         "has nvcc available?"},
        {"CC618 likely", "a package was installed without the CUDA cod",
         "ModuleNotFoundError: No module named 'flash_attn_2_cuda'"},
        {"CC618 likely", "a package was installed without the CUDA cod",
         "ModuleNotFoundError: No module named 'flash_attn_cuda'"},
        {"CC618 likely", "a package was installed without the CUDA cod",
         "ModuleNotFoundError: No module named 'fused_dense_lib'"},
        {"CC618 likely", "a package was installed without the CUDA cod",
         "ModuleNotFoundError: No module named 'dropout_layer_norm'"},
        {"CC612 likely", "packages that must fit each other are from d",
         "NotImplementedError: No operator found for `memory_efficient_attention_forward` with inputs:\n     "
         "query       : shape=(1, 4096, 1, 512) (torch.float16)\n`flshattF` is not supported because:\n    "
         "xFormers wasn't build with CUDA support"},
        {"CC607 possible", "the program, or a part of it, does not suppo",
         "`flshattF@v2.3.2` is not supported because:\n    requires device with capability > (8, 0) but your "
         "GPU has capability (7, 5) (too old)"},
        {"CC612 certain", "xFormers was built for PyTorch 2.5.1+cu121, ",
         "WARNING[XFORMERS]: xFormers can't load C++/CUDA extensions. xFormers was built for:\n    PyTorch "
         "2.5.1+cu121 with CUDA 1201 (you have 2.6.0+cu124)"},
        {"CC612 possible", "packages that must fit each other are from d",
         "WARNING[XFORMERS]: Need to compile C++ extensions to use all xFormers features."},
        {"CC618 likely", "a package was installed without the CUDA cod",
         "ImportError: cannot import name '_C' from 'detectron2'"},
        {"CC618 likely", "a package was installed without the CUDA cod",
         "ImportError: cannot import name '_C' from partially initialized module 'pytorch3d'"},
        {"CC618 likely", "the build found no CUDA and goes on without ",
         "NameError: name '_C' is not defined"},
        {"CC618 likely", "a package was installed without the CUDA cod",
         "ImportError: cannot import name 'deform_conv_ext' from 'mmdet.ops.dcn'"},
        {"CC612 certain", "packages that must fit each other are from d",
         "AssertionError: MMCV==2.1.0 is used but incompatible. Please install mmcv>=1.3.17, <=1.8.0."},
        {"CC612 certain", "packages that must fit each other are from d",
         "AssertionError: MMCV==1.7.0 is used but incompatible with mmdet==3.0. Please install "
         "mmcv>=2.0.0rc4, <2.2.0."},
        {"CC106 likely", "no CUDA toolkit with nvcc is found",
         "RuntimeError: Error compiling objects for extension ... OSError: CUDA_HOME environment variable is "
         "not set. Please set it to your CUDA install root."},
        {"CC601 certain", "the build uses another CUDA, but the framewo",
         "RuntimeError: Cuda extensions are being compiled with a version of Cuda that does not match the "
         "version used to compile Pytorch binaries.  Pytorch binaries were compiled with Cuda 11.7."},
        {"CC612 likely", "packages that must fit each other are from d",
         "RuntimeError: PyTorch version mismatch! DeepSpeed ops were compiled and installed with a different "
         "version than what is being used at runtime."},
        {"CC612 likely", "packages that must fit each other are from d",
         "RuntimeError: CUDA version mismatch! DeepSpeed ops were compiled and installed with a different "
         "version than what is being used at runtime. Please re-install DeepSpeed or switch torch versions. "
         "Install CUDA version=11.7, Runtime CUDA version=12.1"},
        {"CC106 likely", "no CUDA toolkit with nvcc is found",
         "deepspeed.ops.op_builder.builder.MissingCUDAException: CUDA_HOME does not exist, unable to compile "
         "CUDA op(s)"},
    });
}

TEST_CASE("packages: vllm, sglang") {
    check_classes({
        {"CC604 likely", "the framework does not see CUDA",
         "RuntimeError: Failed to infer device type, please set the environment variable "
         "`VLLM_LOGGING_LEVEL=DEBUG`"},
        {"CC401 certain", "libcudart.so.13 is not found",
         "ImportError: libcudart.so.13: cannot open shared object file: No such file or "
         "directory\nvllm/_C.abi3.so"},
        {"CC619 likely", "an extension was compiled for another releas",
         "ImportError: /site-packages/vllm/_C.abi3.so: undefined symbol: "
         "_ZN3c104cuda29c10_cuda_check_implementationEiPKcS2_ib"},
        {"CC619 likely", "an extension was compiled for another releas",
         "AttributeError: '_OpNamespace' '_C' object has no attribute 'rms_norm'"},
        {"CC619 likely", "an extension was compiled for another releas",
         "AttributeError: '_OpNamespace' '_C_cache_ops' object has no attribute 'reshape_and_cache_flash'"},
        {"other certain", "the device does not support the program's nu",
         "ValueError: Bfloat16 is only supported on GPUs with compute capability of at least 8.0. Your Tesla "
         "T4 GPU has compute capability 7.5."},
        {"other certain", "the GPU's memory is used up",
         "ValueError: The model's max seq len (32768) is larger than the maximum number of tokens that can "
         "be stored in KV cache (14832)."},
        {"other certain", "the GPU's memory is used up",
         "ValueError: No available memory for the cache blocks. Try increasing `gpu_memory_utilization` when "
         "initializing the engine."},
        {"other certain", "the GPU's memory is used up",
         "ValueError: Free memory on device (7.1/8.0 GiB) on startup is less than desired GPU memory "
         "utilization (0.9, 7.2 GiB)."},
        {"CC607 certain", "the program, or a part of it, does not suppo",
         "RuntimeError: GPUs with compute capability below 7.0 are not supported"},
        {"other certain", "the program calls CUDA with values that do n",
         "ValueError: Total number of attention heads (28) must be divisible by tensor parallel size (8)."},
        {"CC607 likely", "the installed framework has no code for this",
         "RuntimeError: FlashInfer requires GPUs with sm75 or higher"},
        {"CC402 certain",
         "libcudart.so.12 is older than the one that /site-packages/deep_gemm_cpp.so was built",
         "ImportError: /site-packages/deep_gemm_cpp.so: undefined symbol: cudaLibraryGetKernel, version "
         "libcudart.so.12"},
        {"CC203 certain", "nvcc does not support compute_120a",
         "RuntimeError: Ninja build failed. nvcc fatal   : Unsupported gpu architecture 'compute_120a'"},
        {"CC619 likely", "an extension was compiled for another releas",
         "ImportError: sgl_kernel ... Could not load any common_ops library! GPU Info: - Compute capability: "
         "89"},
        {"CC106 likely", "no CUDA toolkit with nvcc is found",
         "RuntimeError: Could not find nvcc and default cuda_home='/usr/local/cuda' doesn't exist"},
        {"CC106 likely", "no CUDA toolkit with nvcc is found",
         "RuntimeError: Could not find CUDA installation. Please set CUDA_HOME environment variable"},
    });
}
