// Messages of whole families, as tools write them: bindings of other languages, HPC, TensorRT.
// SPDX-License-Identifier: Apache-2.0
#include "class.hpp"

using namespace ptxguard;

TEST_CASE("languages: languages, HPC, Jetson, Windows, others") {
    check_classes({
        {"CC210 likely", "the NVIDIA driver is not installed, not load",
         "ERROR: CUDA.jl did not find a functional CUDA driver"},
        {"CC210 likely", "the driver cannot be initialised", "ERROR: CUDA driver not functional"},
        {"CC607 certain", "the installed framework has no code for this",
         "Your Tesla K40 GPU (compute capability 3.5.0) is not supported by CUDA.jl.\nPlease use a device "
         "with at least capability 5.0, or downgrade CUDA.jl"},
        {"other possible", "Julia's packages do not fit each other",
         "ERROR: LoadError: UndefVarError: AddrSpacePtr not defined"},
        {"CC601 certain", "the package does not know this CUDA toolkit ",
         "thread 'main' panicked at build.rs: Unsupported cuda toolkit version: `13.0`. Please raise a "
         "github issue."},
        {"CC106 likely", "no CUDA toolkit with nvcc is found",
         "thread 'main' panicked at 'Unable to find `include/cuda.h` under any of: [...]. Set the "
         "`CUDA_ROOT` environment variable to override path.'"},
        {"CC106 likely", "no CUDA toolkit with nvcc is found",
         "thread 'main' panicked: bindgen_cuda: `nvcc` failed: Os { code: 2, kind: NotFound, message: \"No "
         "such file or directory\" }"},
        {"CC203 certain", "nvcc does not support sm_89",
         "bindgen_cuda: nvcc cannot target gpu arch 89. Available nvcc targets are [50, 52, 60]"},
        {"CC210 likely", "the driver reports no GPU",
         "called `Result::unwrap()` on an `Err` value: DriverError(CUDA_ERROR_NO_DEVICE, \"no CUDA-capable "
         "device is detected\")"},
        {"CC202 certain", "the driver is older than the compiler of thi",
         "DriverError(CUDA_ERROR_UNSUPPORTED_PTX_VERSION, \"the provided PTX was compiled with an "
         "unsupported toolchain.\")"},
        {"CC204 possible", "a program, library or extension has no code ",
         "DriverError(CUDA_ERROR_NOT_FOUND, \"named symbol not found\") when loading cast_f32_bf16"},
        {"other likely", "the GPU's memory is used up",
         "DriverError(CUDA_ERROR_OUT_OF_MEMORY, \"out of memory\")"},
        {"CC115 likely", "NVRTC reads CUDA headers of another release",
         "CompileError { nvrtc: NvrtcError(NVRTC_ERROR_COMPILATION), log: \"default_program(1): catastrophic "
         "error: cannot open source file \\\"cuda_fp16.h\\\"\" }"},
        {"CC401 certain", "libcudart.so.12 is not found",
         "System.TypeInitializationException: DllNotFoundException: Unable to load shared library 'cudart' "
         "or one of its dependencies. libcudart.so.12: cannot open shared object file"},
        {"CC501 certain", "onnxruntime_providers_cuda.dll, or a DLL tha",
         "Microsoft.ML.OnnxRuntime.OnnxRuntimeException: [ErrorCode:Fail] LoadLibrary failed with error 126 "
         "\"The specified module could not be found.\" when trying to load "
         "\"onnxruntime_providers_cuda.dll\""},
        {"CC401 possible", "a library of CUDA is not found",
         "java.lang.UnsatisfiedLinkError: no jnicudart in java.library.path"},
        {"CC401 certain", "libcudart.so.11.6 is not found",
         "java.lang.UnsatisfiedLinkError: Could not load /tmp/libnd4jcuda: libcudart.so.11.6: cannot open "
         "shared object file"},
        {"CC401 certain", "libcudart.so.10.0 is not found",
         "Error: /app/node_modules/@tensorflow/tfjs-node-gpu: libcudart.so.10.0: cannot open shared object "
         "file"},
        {"CC604 possible", "the program or library is a build without CU",
         "R torch: Error in cpp_cuda: This binary was not compiled with CUDA"},
        {"CC401 certain", "libcudart.so.11.0 is not found",
         "Error in dyn.load: unable to load shared object 'liblantern.so': libcudart.so.11.0: cannot open "
         "shared object file"},
        {"CC106 certain", "the HPC SDK has no CUDA toolkit for this dri",
         "nvfortran-Error-CUDA version 11.0 is not available in this installation."},
        {"CC106 certain", "the HPC SDK has no CUDA toolkit for this dri",
         "nvc++-Error-A CUDA toolkit matching the current driver version (12.4) or a supported older version "
         "(11.0) was not installed with this HPC SDK."},
        {"CC106 certain", "the HPC SDK has no CUDA toolkit for this dri",
         "pgcc-Error-CUDA version 8.0 is not available in this installation"},
        {"CC204 certain", "a program, library or extension has no code ",
         "Accelerator Fatal Error: This file was compiled: -acc=gpu -gpu=cc70 -gpu=cc80\nRebuild this file "
         "with -gpu=cc60 to use NVIDIA Tesla GPU 0"},
        {"CC210 likely", "the driver cannot be initialised and gives n",
         "call to cuInit returned error 999: Unknown"},
        {"CC210 likely", "the driver reports no GPU", "Accelerator Fatal Error: No CUDA device found"},
        {"other certain", "a kernel of the program accesses memory that",
         "Failing in Thread:1\ncall to cuStreamSynchronize returned error 700: Illegal address during kernel "
         "execution"},
        {"other certain", "the GPU's memory is used up",
         "Failing in Thread:1\nOut of memory allocating 8589934592 bytes of device memory"},
        {"CC208 likely", "the driver is too old for the CUDA runtime o",
         "GROMACS: Detection of GPUs failed. The API reported: CUDA driver version is insufficient for CUDA "
         "runtime version"},
        {"CC204 likely", "a program, library or extension has no code ",
         "GROMACS: unexpected cudaErrorInvalidDeviceFunction, compiled with wrong sm"},
        {"CC208 likely", "the driver is too old for the CUDA runtime o",
         "FATAL ERROR: CUDA error cudaGetDeviceCount(&deviceCount) in file ... CUDA driver version is "
         "insufficient for CUDA runtime version"},
        {"CC204 likely", "a program, library or extension has no code ",
         "LAMMPS: ERROR on proc 0: Cuda driver error 209 in call ... no kernel image"},
        {"CC204 certain", "a program, library or extension has no code ",
         "Kokkos::Cuda::initialize ERROR: likely mismatch of architecture. cudaErrorNoKernelImageForDevice"},
        {"CC204 possible", "a program, library or extension has no code ",
         "Kokkos::Cuda::initialize WARNING: running kernels compiled for compute capability 7.0 on device "
         "with compute capability 8.0 , this will likely reduce potential performance."},
        {"CC210 likely", "the driver reports no GPU",
         "openmm.OpenMMException: Error initializing CUDA: CUDA_ERROR_NO_DEVICE (100) at "
         "/home/conda/CudaContext.cpp:91"},
        {"CC604 likely", "the program or library is a build without CU",
         "openmm.OpenMMException: There is no registered Platform called \"CUDA\""},
        {"CC203 certain", "nvcc does not support compute_100",
         "amber: nvcc fatal   : Unsupported gpu architecture 'compute_100'"},
        {"CC405 certain", "NVRTC cannot open nvrtc-builtins64_110.dll, ",
         "Error compiling program: nvrtc: error: failed to open nvrtc-builtins64_110.dll."},
        {"CC210 certain", "the program may not open a device file of th",
         "/dev/nvhost-ctrl-gpu: Permission denied"},
        {"CC210 certain", "the program may not open a device file of th",
         "NvRmMemInitNvmap failed with Permission denied\n549: Memory Manager Not supported"},
    });
}

TEST_CASE("languages: languages, HPC, Jetson, Windows, others (2)") {
    check_classes({
        {"CC401 certain", "libcurand.so.10 is not found",
         "OSError: libcurand.so.10: cannot open shared object file: No such file or "
         "directory\naarch64\nJetPack 5.1"},
        {"CC604 likely", "the framework does not see CUDA",
         "Jetson Orin, JetPack 6\ntorch.cuda.is_available() False"},
        {"CC607 certain", "it has code for 61 70 75",
         "W0102 03:04:05.6 9 gpu_resources.cc:96] The GPU architecture in your current machine is Kepler, "
         "which "
         "is not compatible with Paddle installation with arch: 61 70 75 , it is recommended to install the "
         "corresponding wheel package\nCUDA error 98 [x.cuh, 375]: invalid device function"},
        {"CC613 certain", "there is no build for this Python, system or",
         "torch-2.1.0-cp38-cp38-linux_aarch64.whl is not a supported wheel on this platform."},
        {"CC612 likely", "packages that must fit each other are from d",
         "tensorrt: ModuleNotFoundError: No module named 'tensorrt_bindings'"},
        {"CC401 likely", "libnvinfer.so.8 is not found",
         "TensorRT: ImportError: libnvinfer.so.8: cannot open shared object file: No such file or directory"},
        {"CC612 certain", "the TensorRT engine",
         "[TRT] [E] 6: The engine plan file is not compatible with this version of TensorRT, expecting "
         "library version 8.6.1.6 got 8.5.3.1, please rebuild."},
        {"CC612 certain", "the TensorRT engine",
         "[TRT] [E] 1: [stdArchiveReader.cpp::StdArchiveReader::32] Error Code 1: Serialization "
         "(Serialization assertion stdVersionRead == serializationVersion failed.Version tag does not match. "
         "Note: Current Version: 213, Serialized Engine Version: 232)"},
        {"CC204 certain", "the TensorRT engine",
         "[TRT] [E] 6: The engine plan file is generated on an incompatible device, expecting compute 8.9 "
         "got compute 8.6, please rebuild."},
        {"CC607 certain", "the installed framework has no code for this",
         "[TRT] [E] Target GPU SM 61 is not supported by this TensorRT release."},
        {"CC208 likely", "the driver is too old for the CUDA runtime o",
         "[TRT] CUDA initialization failure with error: 35"},
        {"CC210 likely", "the driver cannot be initialised and gives n",
         "[TRT] CUDA initialization failure with error: 999"},
        {"CC302 likely", "the program was built with cuDNN 8.9.0 but l",
         "[TRT] [W] TensorRT was linked against cuDNN 8.9.0 but loaded cuDNN 8.5.0"},
        {"other certain", "the GPU's memory is used up",
         "[TRT] Error Code 2: OutOfMemory (no further information)"},
        {"other likely", "TensorRT cannot build this model",
         "[TRT] [E] 10: [optimizer.cpp::computeCosts::3728] Error Code 10: Internal Error (Could not find "
         "any implementation for node {ForeignNode[...]}.)"},
        {"other certain", "TensorRT cannot build this model",
         "[TRT] ERROR: ModelImporter.cpp:773: ERROR: No importer registered for op: NonMaxSuppression"},
        {"CC612 likely", "the program is written for another major of ",
         "AttributeError: 'tensorrt.tensorrt.Builder' object has no attribute 'build_cuda_engine'"},
        {"CC210 likely", "the driver reports no GPU",
         "pycuda._driver.RuntimeError: cuInit failed: no CUDA-capable device is detected"},
        {"CC210 likely", "the driver cannot be initialised and gives n",
         "pycuda._driver.LogicError: cuInit failed: unknown error"},
        {"CC204 likely", "a program, library or extension has no code ",
         "pycuda._driver.LogicError: cuModuleLoadDataEx failed: device kernel image is invalid"},
        {"CC108 certain", "nvcc finds no host compiler",
         "pycuda.driver.CompileError: nvcc compilation of C:\\Temp\\kernel.cu failed\nnvcc fatal   : Cannot "
         "find compiler 'cl.exe' in PATH"},
        {"CC106 likely", "no CUDA toolkit with nvcc is found",
         "pytools.prefork.ExecError: error invoking 'nvcc --version': [Errno 2] No such file or directory: "
         "'nvcc'"},
        {"CC105 likely", "a part of the CUDA toolkit is missing",
         "src/cpp/cuda.hpp:14:10: fatal error: cuda.h: No such file or directory"},
        {"CC105 likely", "a part of the CUDA toolkit is missing",
         "gcc error: /usr/bin/ld: cannot find -lcurand"},
    });
}

TEST_CASE("languages: R, MATLAB, Meson, JCuda and older CUDA.jl") {
    check_classes({
        {"CC603 certain", "was never released",
         "Error in lantern_install_libs(version, type, path, install_config) : \n  The 12.9 installation "
         "type is "
         "currently unsupported."},
        {"CC603 likely", "was never released",
         "cannot open URL 'https://download.pytorch.org/libtorch/cu92/libtorch.zip': HTTP status was '404 "
         "Not "
         "Found'"},
        {"CC106 likely", "no CUDA toolkit with nvcc",
         "Warning: No CUDA toolkit installation could be found. If installed, set MW_NVCC_PATH"},
        {"CC105 certain", "a part of the CUDA toolkit is missing: nvjpeg",
         "meson.build:7:0: ERROR: Dependency lookup for CUDA with method 'system' failed: Couldn't find "
         "requested CUDA module 'nvjpeg'"},
        {"CC104 certain", "in two folders: /usr and /usr/lib",
         "Inconsistent CUDA toolkit path: /usr vs /usr/lib"},
        {"CC501 likely", "cusparse64_*.dll",
         "java.lang.UnsatisfiedLinkError: no JCusparse-11.0.0-windows-x86_64 in java.library.path"},
        {"CC501 likely", "cufft.dll",
         "Unable to dynamically load the \"cufft\" shared library - searched for library names: "
         "[\"cufft64_11.dll\", \"cufft64.dll\"]"},
        {"CC401 certain", "libcufft.so",
         "Unable to dynamically load the \"cufft\" shared library - searched for library names: "
         "[\"libcufft.so\", \"libcufft.so.11\"]"},
    });
    CHECK(first_answer("Could not find Boost (missing: Boost_INCLUDE_DIR or thread) in /usr/lib") == "");
    CHECK(first_answer("Error: no jffi in java.library.path") == "");
}
