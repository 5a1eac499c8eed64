// Whose library, package or compiler a message is about, each beside a similar message about another's.
// SPDX-License-Identifier: Apache-2.0
#include "class.hpp"

using namespace ptxguard;

TEST_CASE("a DLL that cannot be loaded: NVIDIA's, a framework's or the project's own") {
    check_classes({
        {"CC501 certain", "nvinfer_10.dll",
         "System.DllNotFoundException: Unable to load DLL 'nvinfer_10.dll'"},
        {"CC501 certain", "onnxruntime_providers_cuda.dll",
         "LoadLibrary failed with error 126 \"\" when trying to load "
         "\"D:\\app\\onnxruntime_providers_cuda.dll\""},
        {"CC501 certain", "fbgemm.dll",
         "OSError: [WinError 126] The specified module could not be found. Error loading "
         "\"C:\\py\\Lib\\site-packages\\torch\\lib\\fbgemm.dll\" or one of its dependencies."},
        {"CC501 certain", "zlibwapi.dll",
         "Could not locate zlibwapi.dll. Please make sure it is in your library path!"},
        {"other likely", "MyGame.Native.dll",
         "System.DllNotFoundException: Unable to load DLL 'MyGame.Native.dll' or one of its dependencies"},
        {"other likely", "plugin.dll",
         "LoadLibrary failed with error 126 \"\" when trying to load \"D:\\app\\bin\\plugin.dll\""},
        {"other likely", "renderer.dll", "Failed to load renderer.dll, error code: 193"},
        {"other likely", "codec.dll",
         "java.lang.UnsatisfiedLinkError: C:\\cuda_demo\\codec.dll: Can't find dependent libraries"},
    });
}

TEST_CASE("the module of a package that is compiled for one release of PyTorch") {
    check_classes({
        {"CC619 likely", "another release of the framework",
         "  File \"C:\\c\\Lib\\site-packages\\sageattention\\quant.py\", line 9, in <module>\n"
         "    from . import _fused\n"
         "ImportError: DLL load failed while importing _fused: The specified module could not be found."},
        {"CC619 likely", "another release of the framework",
         "  File \"D:\\e\\lib\\site-packages\\gsplat\\cuda\\_backend.py\", line 3, in <module>\n"
         "ImportError: DLL load failed while importing csrc: The specified procedure could not be found."},
        {"other likely", "a DLL that the module needs",
         "  File \"C:\\c\\Lib\\site-packages\\pyproj\\network.py\", line 9, in <module>\n"
         "ImportError: DLL load failed while importing _network: The specified module could not be found."},
        {"CC612 likely", "from different releases",
         "AttributeError: module 'jax._src.lib.mosaic' has no attribute 'gpu'"},
        {"CC612 certain", "from different releases",
         "INVALID_ARGUMENT: Unexpected PJRT_Device_Args size: expected 40, got 32. The plugin is likely "
         "built with "
         "an earlier version than the framework."},
        {"other likely", "Python packages", "AttributeError: module 'flax.linen' has no attribute 'Dens'"},
    });
}

TEST_CASE("whether a compiler is the host's or CUDA's, and what it cannot read") {
    check_classes({
        {"other likely", "a compiler of the host",
         "CMake Error at CMakeTestCXXCompiler.cmake:73 (message):\n  The C++ compiler\n\n    "
         "\"/usr/bin/mpicxx\"\n\n"
         "  is not able to compile a simple test program."},
        {"CC108 possible", "",
         "CMake Error at CMakeTestCUDACompiler.cmake:59 (message):\n  The CUDA compiler\n\n    "
         "\"/c/bin/nvcc\"\n\n"
         "  is not able to compile a simple test program."},
        {"CC108 likely", "newer than nvcc supports",
         "type_traits(3012): error: identifier \"__reference_converts_from_temporary\" is undefined"},
        {"CC108 likely", "newer than nvcc supports",
         "x.h(9): error: identifier \"__builtin_clzg\" is undefined"},
        {"CC203 likely", "", "ValueError: invalid literal for int() with base 10: '120a'"},
        {"CC210 likely", "kernel module",
         "make[2]: *** [/usr/src/linux/Makefile:19: /var/lib/dkms/nvidia/550.90.07/build] Fehler 2"},
        {"CC101 likely", "searched where none is",
         "CUDA 12.9.targets(609,9): error : The CUDA Toolkit directory '' does not exist. Please verify"},
        {"CC101 certain", "C:\\CUDA\\v12.1",
         "CUDA 12.1.targets(609,9): error : The CUDA Toolkit directory 'C:\\CUDA\\v12.1' does not exist."},
        {"CC104 certain", "",
         "FindCUDA says CUDA version is 11.8.89 (usually determined by nvcc), but the CUDA headers say the "
         "version is 12.1."},
    });
    CHECK(first_answer("ValueError: invalid literal for int() with base 10: '12a'") == "");
    CHECK(first_answer("x.c(3): error: identifier \"__reference\" is undefined") == "");
    CHECK(first_answer("make: *** [Makefile:9: /var/lib/dkms/zfs/2.2.2/build] Error 2") == "");
    CHECK(first_answer("FindCUDA says CUDA version is 10.0.130 (usually determined by nvcc), but the CUDA "
                       "headers say the version is 10.0.") == "");
}

TEST_CASE("what a driver, a channel or a list of libraries lacks") {
    check_classes({
        {"CC208 likely", "driver", "The installed NVIDIA driver does not support this NVENC version.\n"},
        {"CC208 likely", "driver", "error: NVIDIA driver doesn't support the required NVENC version\n"},
        {"CC208 possible", "driver", "cuda_devices=1\nreason=outdated_driver\nnvenc_supported=false\n"},
        {"CC501 likely", "cublas64_120.dll",
         "The third-party dynamic library (cublas64_120.dll;cublas64_12.dll) that Paddle depends on is not "
         "configured correctly.(error code is 126)"},
    });
    CHECK(first_answer("info: the AMD driver does not support this NVENC version") == "");
    CHECK(
        first_answer("└─ foo 1.2 is not installable because it requires\n   └─ libbar >=3.1,<4 , which does "
                     "not exist (perhaps a missing channel).") == "");
}

TEST_CASE("builds that a package does not have") {
    check_classes({
        {"CC613 likely", "", "ERROR: No prebuilt wheel found for torch 2.9.1+cu130, Python 3.14"},
        {"CC613 likely", "", "Error: No matching binaries for CUDA 13.2"},
        {"CC603 likely", "cu126", "[WARN ] - No matching cuda flavor for linux found: cu126/sm_90."},
        {"CC604 likely", "without CUDA",
         "RuntimeError: this operator requires the cuDNN library which is not included in this build"},
    });
    CHECK(first_answer("ERROR: No prebuilt wheel found for lxml 5.3, Python 3.14") == "");
    CHECK(first_answer("No prebuilt wheel for torch 2.9 found, building from source") == "");
}

TEST_CASE("a kernel that failed is not named before the message that says why") {
    check_classes({
        {"CC204 likely", "no code for this GPU",
         "CUDA error: an illegal instruction was encountered\n"
         "CUDA error: no kernel image is available for execution on the device\n"},
        {"other likely", "a kernel of the program failed",
         "CUDA error: an illegal instruction was encountered\n"},
    });
}
