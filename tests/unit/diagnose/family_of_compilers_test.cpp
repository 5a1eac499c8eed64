// Messages of whole families, as tools write them: programs that run models, compilers.
// SPDX-License-Identifier: Apache-2.0
#include "class.hpp"

using namespace ptxguard;

TEST_CASE("compilers: llama.cpp ollama whisper etc") {
    check_classes({
        {"CC210 likely", "the driver reports no GPU",
         "ggml_cuda_init: failed to initialize CUDA: no CUDA-capable device is detected"},
        {"CC208 likely", "the driver is too old for the CUDA runtime o",
         "ggml_cuda_init: failed to initialize CUDA: CUDA driver version is insufficient for CUDA runtime "
         "version"},
        {"CC204 likely", "a program, library or extension has no code ",
         "CUDA error: no kernel image is available for execution on the device\n  current device: 0, in "
         "function ggml_cuda_compute_forward at ggml-cuda.cu:2360"},
        {"CC604 certain", "the program or library is a build without CU",
         "warning: not compiled with GPU offload support, --gpu-layers option will be ignored"},
        {"CC604 certain", "the program or library is a build without CU",
         "warning: llama.cpp was compiled without cuBLAS. It is not possible to set a VRAM scratch buffer."},
        {"CC604 possible", "the framework does not see CUDA",
         "warning: no usable GPU found, --gpu-layers option will be ignored\nwarning: one possible reason is "
         "that llama.cpp was compiled without GPU support"},
        {"CC401 certain", "libcudart.so.12 is not found",
         "RuntimeError: Failed to load shared library '/site-packages/llama_cpp/lib/libllama.so': "
         "libcudart.so.12: cannot open shared object file: No such file or directory"},
        {"CC210 possible", "the driver reports no GPU",
         "time=2024-05-01 level=INFO source=gpu.go:199 msg=\"no compatible GPUs were discovered\""},
        {"CC210 likely", "the NVIDIA driver is not installed, not load",
         "level=INFO msg=\"unable to load cuda driver library\" "
         "library=/usr/lib/x86_64-linux-gnu/libcuda.so.550.54 error=\"Unable to load "
         "/usr/lib/libcuda.so.550.54 library to query for Nvidia GPUs: wrong ELF class\""},
        {"CC210 likely", "the driver cannot be initialised and gives n",
         "cuda driver library init failure: 999"},
        {"CC208 likely", "the driver is too old for the CUDA runtime o",
         "level=INFO source=gpu.go:612 msg=\"Unable to load cudart library /usr/lib/libcudart.so.12.4.99: "
         "your nvidia driver is too old or missing.  If you have a CUDA GPU please upgrade to run ollama\""},
        {"CC208 likely", "the driver is too old for the CUDA runtime o",
         "your nvidia driver is too old or missing, please upgrade to run ollama"},
        {"CC208 certain", "the driver is too old for the CUDA runtime o",
         "time=2026 level=WARN msg=\"NVIDIA driver too old\" current=470.57 required=525"},
        {"CC204 certain", "a program, library or extension has no code ",
         "level=INFO source=gpu.go:326 msg=\"[0] CUDA GPU is too old. Compute Capability detected: 5.0\""},
        {"CC210 possible", "the NVIDIA driver is not installed, not load",
         "WARNING: No NVIDIA/AMD GPU detected. Ollama will run in CPU-only mode."},
        {"other likely", "the machine's memory is used up",
         "Error: llama runner process has terminated: signal: killed"},
        {"other certain", "the machine's memory is used up",
         "Error: model requires more system memory (5.6 GiB) than is available (3.2 GiB)"},
        {"other certain", "the GPU's memory is used up",
         "cudaMalloc failed: out of memory\nggml_gallocr_reserve_n: failed to allocate CUDA0 buffer of size "
         "5368709120"},
        {"other certain", "a kernel of the program accesses memory that",
         "CUDA error: an illegal memory access was encountered\n  current device: 0, in function "
         "ggml_backend_cuda_synchronize"},
        {"other certain", "a kernel of the program accesses memory that", "CUDA error: misaligned address"},
        {"CC204 likely", "a program, library or extension has no code ",
         "CUDA error 209 at ggml-cuda.cu:7601: no kernel image is available for execution on the device"},
        {"CC208 likely", "the driver is too old for the CUDA runtime o",
         "CUDA error 35 at ggml-cuda.cu:5067: CUDA driver version is insufficient for CUDA runtime version"},
        {"CC204 certain", "a program, library or extension has no code ",
         "ERROR: CUDA kernel mul_mat_q has no device code compatible with CUDA arch 700. ggml-cuda.cu was "
         "compiled for: 800,860"},
        {"CC106 likely", "no CUDA toolkit with nvcc is found",
         "CMake Error at ggml/src/ggml-cuda/CMakeLists.txt:180 (message): CUDA Toolkit not found"},
        {"CC401 certain", "libcublas.so.12 is not found",
         "whisper_init: ctranslate2: RuntimeError: Library libcublas.so.12 is not found or cannot be loaded"},
        {"CC305 likely", "cuDNN is not found",
         "Unable to load any of {libcudnn_ops.so.9.1.0, libcudnn_ops.so.9.1, libcudnn_ops.so.9, "
         "libcudnn_ops.so}\nInvalid handle. Cannot load symbol cudnnCreateTensorDescriptor"},
        {"CC305 likely", "cuDNN is not found",
         "Could not locate cudnn_ops64_9.dll. Please make sure it is in your library path!\nInvalid handle. "
         "Cannot load symbol cudnnCreateTensorDescriptor"},
        {"CC208 likely", "the driver is too old for the CUDA runtime o",
         "RuntimeError: CUDA failed with error CUDA driver version is insufficient for CUDA runtime version"},
        {"CC604 certain", "the program or library is a build without CU",
         "ValueError: This CTranslate2 package was not compiled with CUDA support"},
        {"other certain", "the GPU's memory is used up",
         "RuntimeError: CUDA failed with error out of memory"},
        {"CC210 likely", "the driver reports no GPU",
         "RuntimeError: CUDA failed with error no CUDA-capable device is detected"},
        {"CC204 likely", "a program, library or extension has no code ",
         "RuntimeError: parallel_for failed: cudaErrorNoKernelImageForDevice: no kernel image is available "
         "for execution on the device"},
        {"CC407 possible", "cuBLAS failed",
         "RuntimeError: cuBLAS failed with status CUBLAS_STATUS_NOT_SUPPORTED"},
    });
}

TEST_CASE("compilers: compilers") {
    check_classes({
        {"CC108 certain", "nvcc does not support this host compiler",
         "/usr/local/cuda/include/crt/host_config.h:143:2: error: #error -- unsupported GNU version! gcc "
         "versions later than 13 are not supported! The nvcc flag '-allow-unsupported-compiler' can be used "
         "to override this version check"},
        {"CC108 certain", "nvcc does not support this host compiler",
         "/usr/include/host_config.h:119:2: error: #error -- unsupported GNU version! gcc versions later "
         "than 5 are not supported!"},
        {"CC108 certain", "nvcc does not support this Visual Studio",
         "host_config.h(160): fatal error C1189: #error:  -- unsupported Microsoft Visual Studio version! "
         "Only the versions between 2017 and 2022 (inclusive) are supported!"},
        {"CC108 certain", "nvcc does not support this host compiler",
         "error: #error -- unsupported clang version! clang version must be less than 16 and greater than "
         "3.2 ."},
        {"CC108 certain", "nvcc does not support this host compiler",
         "C:\\Program Files\\Microsoft Visual "
         "Studio\\2022\\Community\\VC\\Tools\\MSVC\\14.41.34120\\include\\yvals_core.h(902): error: static "
         "assertion failed with \"error STL1002: Unexpected compiler version, expected CUDA 12.4 or "
         "newer.\""},
        {"CC108 certain", "nvcc finds no host compiler",
         "nvcc fatal   : Cannot find compiler 'cl.exe' in PATH"},
        {"CC108 likely", "nvcc finds no host compiler",
         "nvcc fatal   : Could not set up the environment for Microsoft Visual Studio using 'C:/Program "
         "Files (x86)/Microsoft Visual Studio/2019/vcvars64.bat'"},
        {"CC108 likely", "nvcc does not support this host compiler",
         "nvcc fatal   : Host compiler targets unsupported OS."},
        {"CC108 certain", "nvcc finds no host compiler",
         "nvcc fatal   : Cannot find compiler 'gcc-12' in PATH"},
        {"CC108 certain", "the host compiler has no part for C++",
         "gcc: error trying to exec 'cc1plus': execvp: No such file or directory"},
        {"CC108 certain", "the host compiler has no part for C++",
         "gcc: fatal error: cannot execute 'cc1plus': execvp: No such file or directory"},
        {"CC108 likely", "nvcc finds no host compiler",
         "nvcc fatal   : Failed to preprocess host compiler properties."},
        {"CC203 certain", "nvcc does not support compute_30",
         "nvcc fatal   : Unsupported gpu architecture 'compute_30'"},
        {"CC203 certain", "nvcc does not support compute_999",
         "nvcc fatal   : Unsupported gpu architecture 'compute_999'"},
        {"CC203 certain", "what the build passes to nvcc as an architecture is none: 'compute_85'",
         "nvcc fatal   : Unsupported gpu architecture 'compute_85'"},
        {"CC203 certain", "what the build passes to nvcc as an architecture is none: 'compute_80+PTX'",
         "nvcc fatal   : Unsupported gpu architecture 'compute_80+PTX'"},
        {"CC203 certain", "nvcc does not support sm_20",
         "nvcc fatal   : Unsupported gpu architecture 'sm_20'"},
        {"CC203 certain", "nvcc does not support sm_86",
         "nvcc fatal   : Value 'sm_86' is not defined for option 'gpu-architecture'"},
        {"CC203 certain", "what the build passes to nvcc as an architecture is none: 'compute_10.0+PTX'",
         "nvcc fatal   : Unsupported gpu architecture 'compute_10.0+PTX'"},
        {"CC204 likely", "the architectures to compile for are older t",
         "ptxas error   : Feature 'cvt with .f16.bf16' not supported on .target 'sm_70'"},
        {"CC204 likely", "the architectures to compile for are older t",
         "error: no instance of overloaded function \"atomicAdd\" matches the argument list argument types "
         "are: (double *, double)"},
        {"CC204 likely", "the architectures to compile for are older t",
         "error: identifier \"__ldg\" is undefined"},
        {"CC108 likely", "nvcc cannot read the headers of this host co",
         "/usr/include/c++/11/bits/std_function.h(530): error: parameter packs not expanded with '...'"},
        {"CC108 likely", "nvcc cannot read the headers of this host co",
         "/usr/include/x86_64-linux-gnu/bits/floatn.h(86): error: invalid combination of type specifiers"},
        {"CC108 certain", "nvcc cannot read the headers of this host co",
         "/usr/lib/gcc/x86_64-linux-gnu/11/include/amxtileintrin.h(42): error: identifier "
         "\"__builtin_ia32_ldtilecfg\" is undefined"},
        {"CC108 likely", "nvcc cannot read the headers of this host co",
         "/usr/lib/gcc/x86_64-linux-gnu/13/include/amxcomplexintrin.h error: identifier "
         "\"__builtin_ia32_cmmimfp16ps\" is undefined"},
        {"CC108 likely", "nvcc cannot read the headers of this host co",
         "/usr/include/c++/13/type_traits(1406): error: identifier \"__is_array\" is undefined"},
        {"CC108 likely", "nvcc cannot read the headers of this host co",
         "/usr/include/c++/14/x86_64/bits/c++config.h(620): error: user-defined literal operator not found"},
        {"CC108 likely", "nvcc cannot read the headers of this host co",
         "error: class \"std::pair<...>\" has no member; /usr/include/c++/12/chrono(2320): error: call to "
         "consteval function did not produce a valid constant expression"},
        {"CC116 likely", "the C library's headers are newer than this ",
         "/usr/include/x86_64-linux-gnu/bits/mathcalls.h(79): error: exception specification is incompatible "
         "with that of previous function \"cospi\" (declared at line 2595 of "
         "/usr/local/cuda/include/crt/math_functions.h)"},
        {"CC104 certain", "the parts of the CUDA toolkit are from diffe",
         "error -- incompatible; fatal error: \"CUDA compiler and CUDA toolkit headers are incompatible, "
         "please check your include paths\""},
        {"CC104 certain", "the parts of the CUDA toolkit are from diffe",
         "nvlink fatal   : Input file 'a.o' newer than toolkit (128 vs 122) (target: sm_80)"},
        {"other likely", "the source does not compile",
         "nvlink error   : Undefined reference to '_Z6kernelPf' in 'CMakeFiles/a.dir/main.cu.o'"},
        {"CC201 certain", "ptxas 12.4 refuses the PTX 8.7 of nvcc 12.8",
         "ptxas /tmp/tmpxft_00000d12.ptx, line 9; fatal   : Unsupported .version 8.7; current version is "
         "'8.4'"},
        {"other likely", "the source does not compile",
         "ptxas error   : Entry function '_Z6kernelPf' uses too much shared data (0x19000 bytes, 0xc000 "
         "max)"},
        {"CC105 likely", "a part of the CUDA toolkit is missing",
         "/bin/sh: 1: /usr/local/cuda/nvvm/bin/cicc: not found"},
        {"CC105 likely", "a part of the CUDA toolkit is missing", "sh: 1: cicc: not found"},
        {"CC105 likely", "a part of the CUDA toolkit is missing",
         "nvcc fatal   : Path to libdevice library not specified"},
        {"CC105 likely", "a part of the CUDA toolkit is missing",
         "cc1plus: fatal error: cuda_runtime.h: No such file or directory"},
        {"CC105 likely", "a part of the CUDA toolkit is missing",
         "fatal error: cuda_runtime.h: No such file or directory\n #include <cuda_runtime.h>"},
        {"CC105 likely", "a part of the CUDA toolkit is missing",
         "fatal error C1083: Cannot open include file: 'cuda_runtime.h': No such file or directory"},
        {"CC105 likely", "a part of the CUDA toolkit is missing",
         "gcc: error: unrecognized option ... /usr/bin/ld: cannot find -lcudadevrt"},
        {"CC105 likely", "a part of the CUDA toolkit is missing", "/usr/bin/ld: cannot find -lcudart_static"},
    });
}

TEST_CASE("compilers: compilers (2)") {
    check_classes({
        {"CC105 likely", "a part of the CUDA toolkit is missing",
         "LINK : fatal error LNK1181: cannot open input file 'cudart.lib'"},
        {"CC105 likely", "a part of the CUDA toolkit is missing",
         "LINK : fatal error LNK1104: cannot open file 'cudart_static.lib'"},
        {"other possible", "a library that is not from NVIDIA is missing",
         "LINK : fatal error LNK1104: cannot open file 'python310.lib'"},
        {"other possible", "a library that is not from NVIDIA is missing",
         "LINK : fatal error LNK1104: cannot open file 'kernel32.lib'"},
        {"other likely", "a header of the project or of another packag",
         "fatal error C1083: Cannot open include file: 'corecrt.h'"},
        {"other certain", "the machine's memory is used up",
         "g++: internal compiler error: Killed (program cc1plus)"},
        {"other likely", "the machine's memory is used up",
         "nvcc error   : 'cicc' died due to signal 9 (Kill signal)"},
        {"other likely", "the compiler crashed",
         "nvcc error   : 'cudafe++' died due to signal 11 (Invalid memory reference)"},
        {"other certain", "the machine's memory is used up",
         "c++: fatal error: Killed signal terminated program cc1plus"},
        {"CC606 certain", "the C++ standard is too low for the headers",
         "error: #error C++17 or later compatible compiler is required to use ATen."},
        {"CC606 certain", "the C++ standard is too low for the headers",
         "error: #error You need C++17 to compile PyTorch"},
        {"CC606 certain", "the C++ standard is too low for CUB",
         "#error -- CUB requires at least C++17. Define CCCL_IGNORE_DEPRECATED_CPP_DIALECT to suppress this "
         "message."},
        {"CC606 certain", "the C++ standard is too low for libcu++",
         "libcu++ requires at least C++ 17. Please pass -std=c++17 to your compiler."},
        {"CC606 certain", "the C++ standard is too low for Thrust",
         "Thrust requires at least C++17. Define THRUST_IGNORE_DEPRECATED_CPP_DIALECT"},
        {"CC606 likely", "the C++ standard is too low for the headers",
         "error: namespace \"std\" has no member \"is_same_v\""},
        {"CC606 likely", "the C++ standard is too low for the headers",
         "nvcc warning : The -std=c++17 flag is not supported with the configured host compiler. Flag will "
         "be ignored."},
        {"CC601 likely", "the CUDA toolkit is too old",
         "nvcc fatal   : Value 'c++17' is not defined for option 'std'"},
        {"CC601 likely", "the CUDA toolkit is too old",
         "nvcc fatal   : Value 'c++20' is not defined for option 'std'"},
        {"CC103 likely", "the nvcc that is used is older than the opti",
         "nvcc fatal   : Unknown option 'diag-suppress'"},
        {"other likely", "the build passes nvcc a command that it cann",
         "nvcc fatal   : Unknown option 'Wall'"},
        {"other possible", "the build passes nvcc a command that it cann",
         "nvcc fatal   : No input files specified; use option --help for more information"},
        {"other likely", "the build passes nvcc a command that it cann",
         "nvcc fatal   : A single input file is required for a non-link phase when an outputfile is "
         "specified"},
        {"other likely", "the build passes nvcc a command that it cann",
         "nvcc fatal   : Don't know what to do with 'x'"},
        {"other possible", "the build passes nvcc a command that it cann",
         "nvcc fatal   : redefinition of argument 'std'"},
    });
}
