// What many programs say alike, in words that no table has: it counts as much as its line does.
// SPDX-License-Identifier: Apache-2.0
#include "class.hpp"

using namespace ptxguard;

TEST_CASE("statements: a part of CUDA is not there") {
    check_classes({
        {"CC106 likely", "no CUDA toolkit with nvcc",
         "[ERROR] build.rs: could not locate a valid CUDA installation"},
        {"CC106 likely", "no CUDA toolkit with nvcc", "RuntimeError: nvcc executable was not found"},
        {"CC106 possible", "no CUDA toolkit with nvcc", "WARNING: nvcc is not installed"},
        {"CC106 likely", "no CUDA toolkit with nvcc",
         "CMake Error at CMakeLists.txt:12 (message):\n  CUDA SDK is missing\n"},
        {"CC210 likely", "the NVIDIA driver is not installed", "fatal: failed to open libcuda.so.1"},
        {"CC210 likely", "the driver reports no GPU", "ValueError: No CUDA-capable devices were found"},
        {"CC210 likely", "the driver reports no GPU", "error: no suitable NVIDIA GPU found"},
        {"CC305 likely", "cuDNN is not found", "Error: cuDNN headers could not be found"},
        {"CC401 likely", "is not found", "Error: NCCL library is not available"},
        {"CC105 likely", "a part of the CUDA toolkit", "error: could not find libdevice bitcode"},
        {"CC604 likely", "a build without CUDA", "RuntimeError: this solver was built without CUDA"},
        {"CC604 likely", "a build without CUDA", "Error: CUDA backend is not included"},
    });
}

TEST_CASE("statements: a library of NVIDIA is not there") {
    check_classes({
        {"CC401 likely", "libcublas.so.12 is not found", "Error: could not find libcublas.so.12"},
        {"CC401 likely", "libcufft.so.11 is not found", "error: /opt/app/lib/libcufft.so.11 is missing"},
        {"CC401 likely", "libnccl.so.2 is not found",
         "[ERROR] failed to load the required shared library 'libnccl.so.2'"},
        {"CC501 likely", "cudart64_12.dll is not found", "Exception: Unable to load DLL cudart64_12.dll"},
        {"CC305 likely", "cuDNN is not found: libcudnn.so.9", "fatal: file not found: libcudnn.so.9"},
        {"CC210 likely", "the NVIDIA driver is not installed", "Error: libcuda.so.1 could not be opened"},
    });
    for (const char* text :
         {"Error: could not find libpng.so.16", "error: libcustom.so is missing",
          "-- libcublas.so.12 not found", "INFO: could not load libcudnn.so.9, using the CPU"}) {
        CAPTURE(std::string(text));
        CHECK(first_answer(text) == "");
    }
}

TEST_CASE("statements: a release or a GPU does not do") {
    check_classes({
        {"CC604 likely", "does not see CUDA", "RuntimeError: this sample requires a CUDA-capable GPU"},
        {"CC604 likely", "does not see CUDA", "ValueError: CUDA is required for mixed precision"},
        {"CC601 likely", "CUDA 11.5 or newer", "error: please upgrade to CUDA 11.5 or newer."},
        {"CC204 likely", "no code for this GPU",
         "ERROR: can't initialize GPU #0, failed to load CUDA fatbin"},
        {"CC204 likely", "no code for this GPU", "error: the library has no kernels for this GPU"},
        {"CC607 likely", "does not support this GPU", "RuntimeError: fp4_gemm requires an SM100 family GPU"},
        {"CC305 likely", "cuDNN is not found", "[error] cuDNN failed to load."},
        {"CC208 likely", "older than this program needs", "CUDA error: Insufficient CUDA driver: 9020"},
        {"CC208 likely", "older than this program needs: 525.60",
         "Error: CUDA 12 requires minimum driver version: 525.60."},
        {"CC601 likely", "CUDA 12.8 or newer is required", "ValueError: this kernel requires CUDA 12.8+"},
        {"CC601 likely", "CUDA 11.4 or newer is required",
         "error: fastlib requires at least CUDA toolkit version 11.4"},
        {"CC601 possible", "CUDA 11.4 or newer is required",
         "Cuda compilation tools, release 12.4, V12.4.131\nerror: fastlib requires CUDA 11.4"},
        {"CC208 likely", "the driver is older than this program needs: 535 or newer",
         "Exception: the server requires NVIDIA driver 535 or newer"},
        {"CC208 likely", "it supports CUDA 11.4",
         "error: needs CUDA 12.0, but the driver only supports CUDA 11.4"},
        {"CC607 likely", "does not support this GPU",
         "RuntimeError: fused_x requires a GPU with compute capability 8.0 or higher"},
        {"CC607 likely", "does not support this GPU",
         "AssertionError: the kernel is only supported on Hopper"},
    });
}

TEST_CASE("statements: a build's own check of the host compiler, and of the toolkit") {
    check_classes({
        {"CC108 likely", "nvcc does not support this host compiler",
         "*** configure failed: CUDA 9_1 does not support g++ (g++-7)"},
        {"CC108 likely", "nvcc does not support this host compiler",
         "CMake Error at CMakeLists.txt:3 (message):\n  GCC 14 is not supported by CUDA 12.3\n"},
        {"CC108 likely", "nvcc does not support this host compiler",
         "error: clang version 19.1 is too new for nvcc"},
        {"CC601 likely", "the CUDA toolkit is too old",
         "error: Outdated NVIDIA CUDA Toolkit version '9010' found"},
        {"CC601 likely", "the package does not know this CUDA toolkit yet",
         "configure: error: Unsupported CUDA_VERSION (CUDA_VERSION=11_9)"},
        {"CC604 likely", "a build without CUDA",
         "无法在 DLL“onnxruntime”中找到名为“OrtSessionOptionsAppendExecutionProvider_CUDA”的入口点。"},
        {"CC106 likely", "no CUDA toolkit with nvcc",
         "unable to execute 'nvcc': No such file or directory\nerror: command 'nvcc' failed with exit status "
         "1"},
    });
    for (const char* text : {"-- GCC 14 is not supported by CUDA 12.3, using clang",
                             "error: CUDA does not support graphs", "note: GCC 9 is supported by CUDA 12"}) {
        CAPTURE(std::string(text));
        CHECK(first_answer(text) == "");
    }
}

TEST_CASE("apt says that a release is absent where it reaches no server") {
    const std::string line =
        "E: The repository 'https://developer.download.nvidia.com/compute/cuda/repos/debian9/x86_64  "
        "Release' "
        "does not have a Release file.\n";
    CHECK(first_answer(line).substr(0, 13) == "CC620 certain");
    CHECK(first_answer(
              "Err:3 https://developer.download.nvidia.com/compute/cuda/repos/debian12/x86_64  Release\n"
              "  Could not handshake: The TLS connection was non-properly terminated.\n" +
              line)
              .substr(0, 5) != "CC620");
}

TEST_CASE("statements: silent where a program goes on, and where an exact message says it") {
    for (const char* text : {
             "INFO: no CUDA devices found",
             "-- nvcc not found",
             "-- cuDNN not found; building without it",
             "No NVIDIA GPU detected, using CPU",
             "note: built without CUDA",
             "DEBUG cuDNN is not available, skipping the test",
             "-- CUDA support is disabled",
             "CUDA support is available",
             "found nvcc 12.4",
             "checking for mynvcc... not found",
             "This release requires CUDA 11.8 or newer; see the table of releases.",
             "- CUDA 11.8 or newer is required for the Python package.",
             "Your GPU must be new: the wheel requires compute capability 7.5.",
             "Fixed an error where the CUDA toolkit was not found on Windows",
             "If CUDA is not available, the tests are not built.",
             "Update your NVIDIA driver before you begin.",
             "If your driver only supports CUDA 11.4, take the older image.",
             "The example prints an error if no NVIDIA GPU is found",
             "ERROR: no AMD GPU found, ROCm GPU not detected",
             "ERROR: Failed to find GPU names in the table",
             "error: this option requires CUDA graphs to be switched off",
             "The tutorial requires a CUDA-capable GPU.",
             "error: failed to load CUDA runtime options from the file",
             "    raise RuntimeError('nvcc was not found')",
             "1. CUDA driver not installed",
             "Requirement already satisfied: nvidia-cuda-nvcc-cu12 in /usr/lib/python3",
         }) {
        CAPTURE(std::string(text));
        CHECK(first_answer(text) == "");
    }
    const std::string exact = first_answer("RuntimeError: Could not find nvcc, please set CUDAToolkit_ROOT.");
    CHECK(exact.substr(0, 12) == "CC106 likely");
}

TEST_CASE("statements: programs of the toolkit, and CUDA alone, as launchers and build scripts say it") {
    check_classes({
        {"CC106 likely", "nvcc", "ccache: error: Could not find compiler \"nvcc\" in PATH"},
        {"CC106 likely", "nvcc", "CMake Error: Could not find program nvcc"},
        {"CC106 likely", "nvcc", "RuntimeError: 'nvcc' not found. Please install the toolkit"},
        {"CC106 likely", "nvcc", "error: nvcc.exe was not found"},
        {"CC106 likely", "nvcc",
         "error: could not execute process `nvcc --version` (never executed): No such file or directory"},
        {"CC106 likely", "nvcc",
         "thread 'main' panicked at build.rs:12:34:\nFailed to execute `nvcc`: Os { code: 2, kind: NotFound "
         "}"},
        {"CC106 likely", "nvcc",
         "  thread 'main' panicked at src/lib.rs:305:35:\n  Could not find CUDA in standard locations, set "
         "it"},
        {"CC106 likely", "nvcc", "panic: cannot find CUDA"},
        {"CC106 likely", "nvcc", "error: did not find CUDA. Set CUDA_ROOT"},
        {"CC108 likely", "host compiler", "1. \"%gcc@9:\" conflicts with \"kokkos+cuda ^cuda@:10.2.89\""},
        {"CC108 likely", "host compiler", "==> Error: cuda: '%clang@16:' conflicts with '+cuda ^cuda@:12.0'"},
        {"CC203 certain", "compute_61",
         "nvcc fatal   : Unsupported gpu architecture 'compute_61\nmake: Error"},
        {"other likely", "program",
         "ValueError: cl.exe not found in default Visual Studio installation path"},
    });
    CHECK(first_answer("Note: cl.exe not found, MSVC is optional") == "");
    for (const char* text :
         {"error: Could not find CUDA sources of the example", "-- Could not find CUDA",
          "Cannot find CUDA, falling back to the CPU", "error: Could not find compiler \"zig\"",
          "KeyError: column 'GPU' not found", "Error: '%gcc@9:' conflicts with '+openmp ^hwloc@:1.0'",
          "nvcc --version was executed: os error 2"}) {
        CAPTURE(std::string(text));
        CHECK(first_answer(text).substr(0, 2) != "CC");
    }
}
