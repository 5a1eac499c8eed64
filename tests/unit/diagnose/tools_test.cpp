// Messages of programs by the strings in their sources: CMake, cgo, cudafe++ in the system's headers, game
// engines, renderers, XLA.
// SPDX-License-Identifier: Apache-2.0
#include "class.hpp"

using namespace ptxguard;

TEST_CASE("tools: cudafe++ in headers of the system") {
    check_classes({
        {"CC108 likely", "cannot read the headers",
         "/usr/include/stdlib.h(141): error: attribute \"__malloc__\" does not take arguments"},
        {"CC108 likely", "cannot read the headers",
         "/usr/include/x86_64-linux-gnu/bits/stdlib.h(37): error: expected a \";\""},
        {"CC108 likely", "cannot read the headers",
         "C:\\Program Files\\Microsoft Visual "
         "Studio\\2022\\VC\\Tools\\MSVC\\14.41.34120\\include\\xmemory(70): "
         "error : identifier \"__builtin_x\" is undefined [C:\\b\\a.vcxproj]"},
    });
    for (const char* text : {
             "/usr/include/mylib/matrix.h(12): error: expected a \";\"",
             "/usr/include/stdlib.h:141: error: expected ';'",
             "C:\\VC\\Tools\\MSVC\\14.41.34120\\include\\xmemory(70): error C2061: syntax error",
             "g++ -I/usr/include/x86_64-linux-gnu -c a.cpp",
         }) {
        CAPTURE(std::string(text));
        CHECK(first_answer(text).substr(0, 2) != "CC");
    }
}

TEST_CASE("tools: names and headers that another release of CUDA has") {
    check_classes({
        {"CC601 likely", "__fAtomicAdd", "a.cu(12): error: identifier \"__fAtomicAdd\" is undefined"},
        {"CC601 likely", "cudaConfigureCall",
         "a.cpp:3:5: error: 'cudaConfigureCall' was not declared in this scope"},
        {"CC104 likely", "different releases",
         "/usr/local/cuda/include/surface_indirect_functions.h(99): error: identifier \"__nv_x\" is "
         "undefined"},
        {"CC104 likely", "different releases",
         "C:\\CUDA\\v12.4\\include\\crt\\device_functions.h(99): error : expected a declaration"},
        {"CC218 likely", "in WSL",
         "OS: WSL2\nRuntimeError: CUDA error: all CUDA-capable devices are busy or unavailable"},
        {"CC210 likely", "driver is not installed", "RuntimeError: Function \"cuDeviceGetCount\" not found"},
        {"CC208 likely", "cuLibraryLoadData", "RuntimeError: Function \"cuLibraryLoadData\" not found"},
    });
    for (const char* text :
         {"/opt/x/include/mylib/matrix.h(12): error: expected a \";\"",
          "/usr/local/cuda/include/thrust/detail/sort.inl(12): error: no instance of function",
          "/opt/x/include/my_functions.hh(12): error: expected a \";\""}) {
        CAPTURE(std::string(text));
        CHECK(first_answer(text).substr(0, 2) != "CC");
    }
}

TEST_CASE("tools: CMake") {
    check_classes({
        {"CC101 certain", "/opt/cuda/bin/nvcc does not exist",
         "CMake Error at CMakeDetermineCUDACompiler.cmake:29 (message):\n  Could not find the compiler "
         "specified "
         "in the environment variable CUDACXX:\n\n  /opt/cuda/bin/nvcc.\n"},
        {"CC108 certain", "no host compiler",
         "  Could not find the compiler specified in the environment variable CUDAHOSTCXX:\n\n  g++-9."},
        {"CC108 certain", "no host compiler",
         "  Could not find the compiler specified in the variable CMAKE_CUDA_HOST_COMPILER:\n\n    "
         "/usr/bin/g++-9"},
        {"CC105 certain", "part of the CUDA toolkit", "  Couldn't find CUDA library root."},
        {"CC203 certain", "'80-ptx'",
         "CMake Error in CMakeLists.txt:\n  Unknown CUDA architecture specifier \"80-ptx\" in \"80-ptx\"."},
        {"other certain", "too old for this CMake",
         "  The FindCUDA module has been removed by policy CMP0146."},
    });
}

TEST_CASE("tools: languages, engines and renderers") {
    check_classes({
        {"CC601 likely", "cuStreamGetCaptureInfo",
         "./graph.go:31:9: could not determine kind of name for C.cuStreamGetCaptureInfo"},
        {"CC601 likely", "CU_MEM_ADVISE",
         "addressing.go:57:8: could not determine kind of name for C.CU_MEM_ADVISE_SET_READ_MOSTLY"},
        {"CC501 likely", "cublas64_11.dll",
         "LogWindows:   Missing import: cublas64_11.dll\nLogWindows:   Looked in: ../../Binaries"},
        {"other likely", "vision.dll",
         "LogWindows: Failed to preload 'C:/p/Binaries/Win64/vision.dll' (GetLastError=126)"},
        {"CC202 certain", "is older than the compiler",
         "Failed to load CUDA kernel from '/b/lib/kernel_compute_75.ptx.zst' (Unsupported PTX version)"},
        {"CC204 certain", "no code for this GPU",
         "Failed to load CUDA kernel from 'x.cubin' (No binary for GPU)"},
        {"CC203 certain", "sm_103a",
         "LLVM ERROR: PTX version 8.6 does not support target 'sm_103a'. Minimum required PTX version is "
         "8.8."},
        {"CC401 likely", "is not found",
         "INTERNAL: operation cudaGetLastError() failed: cudaGetErrorString symbol not found."},
        {"CC604 likely", "a build without CUDA",
         "AttributeError: module 'jaxlib.xla_extension' has no attribute 'GpuAllocatorConfig'"},
        {"CC105 likely", "libcuda.so", "configure: error: CUDA driver package required for nvptx support"},
        {"CC214 likely", "Numba's compiler",
         "numba.cuda.cudadrv.driver.LinkerError: [218] Call to cuLinkAddData results in UNKNOWN_CUDA_ERROR"},
        {"CC208 likely", "cuGetProcAddress_v2",
         "Warp CUDA error: Failed to get function cuGetProcAddress_v2"},
        {"CC401 likely", "libcufft.so.11",
         "        libcufft.so.11 => not found\n        libm.so.6 => /lib/libm.so.6"},
        {"CC208 likely", "CUDA 12.1",
         "Lmod Warning:\nYour driver CUDA version is 12.1  but the module you want to load requires CUDA "
         "12.6.0."},
        {"CC208 certain", "driver 470.57.02",
         "ERROR: The installed CUDA driver 470.57.02 is to old for CUDA 12.1.1, need at least 525.60"},
    });
    for (const char* text : {"could not determine kind of name for C.my_function",
                             "could not determine kind of name for C.CustomType",
                             "LogWindows:   Missing import: myplugin.dll"}) {
        CAPTURE(std::string(text));
        CHECK(first_answer(text).substr(0, 2) != "CC");
    }
}

TEST_CASE("tools: a line of source, of another maker or of somebody else's program") {
    check_classes({
        {"CC106 possible", "no CUDA toolkit",
         "    f\"{global_option} was requested, but nvcc was not found.  Are you sure your environment has "
         "nvcc "
         "available?\""},
        {"CC208 possible", "too old", "# workaround for unsatisfied condition: cuda>=11.6"},
        {"CC601 possible", "12.9", "message(FATAL_ERROR \"CUDA version must be at least 12.9!\")"},
        {"CC107 likely", "does not run", "/bin/sh: 1: /opt/cuda/bin/nvcc: Exec format error"},
        {"CC106 likely", "no CUDA toolkit",
         "    raise RuntimeError(\"nvcc was not found. Are you sure your environment has nvcc available\")\n"
         "RuntimeError: nvcc was not found. Are you sure your environment has nvcc available?"},
    });
    for (const char* text : {"RuntimeError: HIP error: invalid device function",
                             "exec /usr/bin/entrypoint.sh: exec format error",
                             "the release fails if the version tag does not match the one in pyproject.toml",
                             "FileNotFoundError: Could not find module 'C:\\v\\llvmlite.dll' (or one of its "
                             "dependencies)."}) {
        CAPTURE(std::string(text));
        CHECK(first_answer(text).substr(0, 2) != "CC");
    }
}
