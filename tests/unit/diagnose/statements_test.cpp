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

TEST_CASE("statements: a release or a GPU does not do") {
    check_classes({
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
