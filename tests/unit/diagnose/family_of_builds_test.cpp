// Messages of whole families, as tools write them: CMake, other build systems, loaders.
// SPDX-License-Identifier: Apache-2.0
#include "class.hpp"

using namespace ptxguard;

TEST_CASE("builds: cmake & build systems") {
    check_classes({
        {"CC106 likely", "no CUDA toolkit with nvcc is found",
         "CMake Error at CMakeLists.txt:3 (project):\n  No CMAKE_CUDA_COMPILER could be found.\n\n  Tell "
         "CMake where to find the compiler by setting either the environment variable \"CUDACXX\""},
        {"CC106 likely", "no CUDA toolkit with nvcc is found",
         "CMake Error: CMAKE_CUDA_COMPILER not set, after EnableLanguage"},
        {"CC106 likely", "no CUDA toolkit with nvcc is found",
         "CMake Error at FindCUDAToolkit.cmake: Could not find nvcc, please set CUDAToolkit_ROOT."},
        {"CC106 likely", "no CUDA toolkit with nvcc is found",
         "Could NOT find CUDA (missing: CUDA_TOOLKIT_ROOT_DIR CUDA_NVCC_EXECUTABLE CUDA_INCLUDE_DIRS "
         "CUDA_CUDART_LIBRARY)"},
        {"CC106 likely", "no CUDA toolkit with nvcc is found",
         "CUDA_TOOLKIT_ROOT_DIR not found or specified"},
        {"CC106 likely", "no CUDA toolkit with nvcc is found",
         "Could NOT find CUDAToolkit (missing: CUDAToolkit_INCLUDE_DIRECTORIES CUDA_CUDART) "},
        {"CC105 likely", "a part of the CUDA toolkit is missing",
         "Could NOT find CUDAToolkit (missing: CUDA_CUDART) (found version \"12.4.131\")"},
        {"CC601 likely", "the CUDA toolkit 10.1 is too old",
         "Could NOT find CUDA: Found unsuitable version \"10.1\", but required is at least \"11.0\" (found "
         "/usr/local/cuda)"},
        {"CC601 likely", "the CUDA toolkit is too old", "CMake Error: CUDA version must be at least 11.4"},
        {"CC601 likely", "the CUDA toolkit 9.2 is too old",
         "CMake Error at CMakeLists.txt:20 (message):\n  CUDA version 9.2 is too old, 10.2 or newer is "
         "required"},
        {"CC211 certain", "the architectures are \"native\", but no GPU w",
         "CMAKE_CUDA_ARCHITECTURES:\n\n    native\n\n  is set to \"native\", but no GPU was detected"},
        {"CC105 likely", "a part of the CUDA toolkit is missing",
         "CMake Error: The following variables are used in this project, but they are set to "
         "NOTFOUND.\nCUDA_cublas_LIBRARY (ADVANCED)"},
        {"CC624 likely", "CMake is too old for this build", "CUDA_cublas_device_LIBRARY (ADVANCED)"},
        {"CC624 likely", "CMake is too old for this build: C++20 of CUDA came with CMake 3.25.2",
         "  Target \"cmTC_28652\" requires the language dialect \"CUDA20\" .  But the\n  current compiler "
         "\"NVIDIA\" does not support this, or CMake does not know the\n  flags to enable it."},
        {"CC624 certain", "CMake is too old for this build: C++20 of CUDA came with CMake 3.25.2",
         "-- The CUDA compiler identification is NVIDIA 12.2.140\n  Target \"a\" requires the language "
         "dialect \"CUDA20\" (with compiler extensions)."},
        {"CC624 certain", "nvcc 11.5.119 does not have C++20, which is new in CUDA 12.0",
         "-- The CUDA compiler identification is NVIDIA 11.5.119\n  Target \"a\" requires the language "
         "dialect \"CUDA20\" (with compiler extensions)."},
        {"CC210 likely", "the NVIDIA driver is not installed, not load",
         "CUDA_CUDA_LIBRARY (ADVANCED)\n    linked by target"},
        {"CC105 likely", "a part of the CUDA toolkit is missing",
         "CUDA_nppi_LIBRARY (ADVANCED) set to NOTFOUND"},
        {"CC105 likely", "the build links NVTX 2 (nvToolsExt)",
         "CMake Error: Target \"x\" links to target \"CUDA::nvToolsExt\" but the target was not found."},
        {"CC105 likely", "the build links NVTX 2 (nvToolsExt)",
         "The link interface of target \"caffe2::cudart\" contains:\n\n    CUDA::nvToolsExt\n\n  but the "
         "target was not found."},
        {"CC105 likely", "the build links NVTX 2 (nvToolsExt)",
         "CMake Error at CMakeLists.txt:9 (target_link_libraries):\n  Target \"solver\" links to:\n\n    "
         "CUDA::nvToolsExt\n\n  but the target was not found.  Possible reasons include:\n\n    * There is a "
         "typo in the target name."},
        {"CC105 likely", "CUDA::cusolver",
         "  Target \"solver\" links to:\n\n    CUDA::cusolver\n\n  but the target was not found.  Possible "
         "reasons include:"},
        {"", "", "  Target \"solver\" links to:\n\n    Boost::system\n\n  but the target was not found."},
        {"CC105 likely", "the build links NVTX 2 (nvToolsExt)",
         "CMake Error at cmake/public/cuda.cmake:70 (message):\n  Failed to find nvToolsExt\nCall Stack "
         "(most "
         "recent call first):"},
        {"CC305 likely", "cuDNN is not found",
         "Could NOT find CUDNN (missing: CUDNN_LIBRARY CUDNN_INCLUDE_DIR)"},
        {"CC305 likely", "cuDNN is not found", "CMake Error: cuDNN not found"},
        {"CC305 likely", "cuDNN is not found", "Cannot find cuDNN library. Turning the option off"},
        {"CC104 certain", "the parts of the CUDA toolkit are from diffe",
         "CMake Error: FindCUDA says CUDA version is 11.5 (usually determined by nvcc), but the CUDA headers "
         "say the version is 12.1."},
        {"CC106 likely", "no CUDA toolkit with nvcc is found",
         "Your installed Caffe2 version uses CUDA but I cannot find the CUDA libraries."},
        {"CC106 likely", "no CUDA toolkit with nvcc is found",
         "Caffe2: CUDA cannot be found. Depending on whether you are building Caffe2 or a Caffe2 dependent "
         "library"},
        {"CC106 likely", "Visual Studio has no files of this CUDA tool", "No CUDA toolset found."},
        {"CC106 certain", "Visual Studio has no files of this CUDA tool",
         "error MSB4019: The imported project \"C:\\Program Files (x86)\\Microsoft Visual "
         "Studio\\2019\\BuildTools\\MSBuild\\Microsoft\\VC\\v160\\BuildCustomizations\\CUDA 11.3.props\" was "
         "not found."},
        {"CC108 certain", "nvcc does not support this host compiler",
         "The CUDA compiler identification could not be determined\nCompiler: /usr/bin/nvcc\n#error -- "
         "unsupported GNU version! gcc versions later than 12 are not supported!"},
        {"CC203 certain", "nvcc does not support compute_30",
         "Compiling the CUDA compiler identification source file \"CMakeCUDACompilerId.cu\" failed.\nnvcc "
         "fatal   : Unsupported gpu architecture 'compute_30'"},
        {"CC106 possible", "no CUDA toolkit with nvcc is found",
         "-- The CUDA compiler identification is unknown"},
        {"CC203 likely", "list of architectures does not know one of them",
         "CMake Error at cmake/utils.cmake:111: Error: Unsupported CUDA architecture 12.0"},
        {"other certain", "a program that the build needs is missing, o",
         "CMake Error at CMakeLists.txt:1 (cmake_minimum_required):\n  CMake 3.24 or higher is required.  "
         "You are running version 3.22.1"},
        {"other certain", "the project is too old for this CMake",
         "Compatibility with CMake < 3.5 has been removed from CMake."},
        {"other certain", "a program that the build needs is missing, o",
         "CMake Error: CMake was unable to find a build program corresponding to \"Ninja\".  "
         "CMAKE_MAKE_PROGRAM is not set."},
        {"other likely", "a program that the build needs is missing, o",
         "CMake Error: CMAKE_CXX_COMPILER not set, after EnableLanguage"},
        {"other certain", "sources are missing",
         "CMake Error: The source directory does not appear to contain CMakeLists.txt."},
        {"other likely", "CMake finds no package OpenCV",
         "By not providing \"FindOpenCV.cmake\" in CMAKE_MODULE_PATH this project has asked CMake to find a "
         "package configuration file provided by \"OpenCV\""},
        {"other likely", "CMake finds no package Torch",
         "By not providing \"FindTorch.cmake\" in CMAKE_MODULE_PATH this project has asked CMake to find a "
         "package configuration file provided by \"Torch\", but CMake did not find one."},
        {"other likely", "a header of the project or of another packag",
         "fatal error: cutlass/numeric_types.h: No such file or directory"},
        {"other likely", "a header of the project or of another packag",
         "fatal error: glm/glm.hpp: No such file or directory"},
        {"CC106 likely", "no CUDA toolkit with nvcc is found",
         "Cuda Configuration Error: Failed to run 'nvcc --version'"},
        {"CC105 likely", "a part of the CUDA toolkit is missing",
         "Cuda Configuration Error: None of the libraries match their SONAME: libcudart.so"},
    });
}

TEST_CASE("builds: cmake & build systems (2)") {
    check_classes({
        {"CC305 certain", "cuDNN is not found",
         "Could not find any cudnn.h matching version '8' in any subdirectory"},
        {"CC106 likely", "no CUDA toolkit with nvcc is found",
         "Error: meson.build:1:0: ERROR: Unknown compiler(s): [['nvcc']]"},
        {"CC106 likely", "no CUDA toolkit with nvcc is found",
         "meson.build:40: ERROR: Dependency \"cuda\" not found, tried system"},
        {"CC106 likely", "no CUDA toolkit with nvcc is found", "configure: error: nvcc not found"},
        {"CC106 likely", "no CUDA toolkit with nvcc is found", "configure: error: CUDA not found"},
        {"CC106 likely", "no CUDA toolkit with nvcc is found", "configure: error: cuda.h not found"},
        {"CC106 likely", "no CUDA toolkit with nvcc is found", "ERROR: nvcc not found on PATH"},
        {"CC106 likely", "no CUDA toolkit with nvcc is found", "CUDA compiler (nvcc) not found"},
        {"CC106 likely", "no CUDA toolkit with nvcc is found", "could not find nvcc"},
        {"CC106 likely", "no CUDA toolkit with nvcc is found", "make: nvcc: Command not found"},
        {"CC106 likely", "no CUDA toolkit with nvcc is found", "make: nvcc: No such file or directory"},
        {"CC106 likely", "no CUDA toolkit with nvcc is found", "bash: nvcc: command not found"},
        {"CC106 likely", "no CUDA toolkit with nvcc is found", "zsh: command not found: nvcc"},
        {"CC106 likely", "no CUDA toolkit with nvcc is found", "fish: Unknown command: nvcc"},
        {"CC106 likely", "no CUDA toolkit with nvcc is found",
         "nvcc : The term 'nvcc' is not recognized as the name of a cmdlet, function, script file, or "
         "operable program."},
        {"CC106 likely", "no CUDA toolkit with nvcc is found",
         "Command 'nvcc' not found, but can be installed with:\nsudo apt install nvidia-cuda-toolkit"},
        {"CC108 likely", "nvcc finds no host compiler",
         "UserWarning: Error checking compiler version for cl: [WinError 2] The system cannot find the file "
         "specified"},
        {"CC108 certain", "nvcc finds no host compiler",
         "subprocess.CalledProcessError: Command '['where', 'cl']' returned non-zero exit status 1."},
        {"other certain", "a program that the build needs is missing, o",
         "RuntimeError: Ninja is required to load C++ extensions"},
        {"other likely", "a Python package is missing", "error: invalid command 'bdist_wheel'"},
    });
}

TEST_CASE("builds: loaders") {
    check_classes({
        {"CC401 certain", "libcufft.so.10 is not found",
         "./a.out: error while loading shared libraries: libcufft.so.10: cannot open shared object file: No "
         "such file or directory"},
        {"CC305 likely", "cuDNN is not found",
         "error while loading shared libraries: libcudnn.so.7: cannot open shared object file: No such file "
         "or directory"},
        {"CC210 likely", "the NVIDIA driver is not installed, not load",
         "error while loading shared libraries: libcuda.so.1: cannot open shared object file: No such file "
         "or directory"},
        {"CC210 likely", "the NVIDIA driver is not installed, not load",
         "OSError: libnvidia-ml.so.1: cannot open shared object file: No such file or directory"},
        {"CC210 certain", "a part of the driver, libnvcuvid.so.1, is mi",
         "ImportError: libnvcuvid.so.1: cannot open shared object file: No such file or directory"},
        {"CC217 certain", "the driver's PTX compiler libnvidia-ptxjitco",
         "libnvidia-ptxjitcompiler.so.1: cannot open shared object file: No such file or directory"},
        {"CC405 certain", "NVRTC cannot open libnvrtc-builtins.so.12.4,",
         "nvrtc: error: failed to open libnvrtc-builtins.so.12.4.\n  Make sure that "
         "libnvrtc-builtins.so.12.4 is installed correctly."},
        {"CC405 certain", "NVRTC cannot open nvrtc-builtins64_118.dll, ",
         "nvrtc: error: failed to open nvrtc-builtins64_118.dll."},
        {"CC406 certain", "libstdc++.so.6 is too old",
         "version `GLIBCXX_3.4.30' not found (required by /opt/x.so)"},
        {"CC406 certain", "libstdc++.so.6 is too old", "version `CXXABI_1.3.15' not found"},
        {"CC406 certain", "this system's glibc is too old",
         "/lib/x86_64-linux-gnu/libc.so.6: version `GLIBC_2.32' not found (required by ./main)"},
        {"CC406 certain", "this system's glibc is too old",
         "/lib64/libm.so.6: version `GLIBC_2.29' not found"},
        {"CC402 certain", "a library is loaded from another release tha",
         "version `libcublasLt.so.12' not found (required by libcublas.so.12)"},
        {"CC501 certain", "C",
         "OSError: [WinError 126] The specified module could not be found. Error loading "
         "\"C:\\site-packages\\torch\\lib\\fbgemm.dll\" or one of its dependencies."},
        {"CC504 likely", "a DLL is for another processor",
         "OSError: [WinError 193] %1 is not a valid Win32 application"},
        {"CC501 certain", "nvrtc64_112_0.dll, or a DLL that it needs, i",
         "System.DllNotFoundException: Unable to load DLL 'nvrtc64_112_0.dll': The specified module could "
         "not be found. (Exception from HRESULT: 0x8007007E)"},
        {"CC208 certain", "the driver is too old for the CUDA runtime o",
         "The procedure entry point cuGetErrorString could not be located in the dynamic link library "
         "nvcuda.dll"},
        {"CC210 likely", "the NVIDIA driver is not installed, not load",
         "The code execution cannot proceed because nvcuda.dll was not found. Reinstalling the program may "
         "fix this problem."},
        {"CC501 likely", "cudart64_75.dll is not found",
         "The program can't start because cudart64_75.dll is missing from your computer."},
        {"other likely", "a library that is not from NVIDIA is missing",
         "The code execution cannot proceed because VCRUNTIME140_1.dll was not found."},
        {"other likely", "a library that is not from NVIDIA is missing",
         "The program can't start because MSVCP140.dll is missing from your computer"},
        {"CC401 certain", "libnvrtc.so is not found",
         "thread 'main' panicked at cudarc: Unable to dynamically load the \"nvrtc\" shared library - "
         "searched for library names"},
        {"CC210 likely", "the NVIDIA driver is not installed, not load",
         "thread 'main' panicked at 'Unable to dynamically load the \"cuda\" shared library'"},
        {"CC401 certain", "libcurand.so.10 is not found",
         "dlopen failed: libcurand.so.10: cannot open shared object file"},
        {"CC401 certain", "libcudart.so.11.0 is not found",
         "java.lang.UnsatisfiedLinkError: /tmp/libtensorflow_cc.so.2: libcudart.so.11.0: cannot open shared "
         "object file: No such file or directory"},
        {"CC401 certain", "libcudart.so.11.0 is not found",
         "Error in dyn.load(file, DLLpath = DLLpath, ...) : unable to load shared object '/usr/lib/R/x.so': "
         "libcudart.so.11.0: cannot open shared object file"},
    });
}
