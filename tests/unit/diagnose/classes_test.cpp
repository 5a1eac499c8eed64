// Faults of machines, drivers, engines, libraries and builds in logs.
// SPDX-License-Identifier: Apache-2.0
#include "class.hpp"

using namespace ptxguard;

TEST_CASE("containers: the runtime, its devices and its rules") {
    check_classes({
        {"CC210 certain", "NVIDIA Container Toolkit",
         "docker: Error response from daemon: could not select device driver \"nvidia\" with capabilities: "
         "[[utility compute]]."},
        {"CC210 certain", "NVIDIA Container Toolkit",
         "Error response from daemon: unknown or invalid runtime name: nvidia"},
        {"CC210 certain", "NVIDIA Container Toolkit",
         "exec: \"nvidia-container-runtime-hook\": executable file not found in $PATH: unknown"},
        {"CC210 certain", "NVIDIA Container Toolkit",
         "rpc error: code = Unknown desc = failed to get sandbox runtime: no runtime for \"nvidia\" is "
         "configured"},
        {"CC210 certain", "nvidia.com/gpu=all",
         "Error: setting up CDI devices: unresolvable CDI devices nvidia.com/gpu=all"},
        {"CC210 certain", "a GPU that is not there: 3",
         "nvidia-container-cli: device error: 3: unknown device: unknown."},
        {"CC210 certain", "the image contains files of a driver",
         "nvidia-container-cli: mount error: file creation failed: "
         "/var/lib/docker/overlay2/abc/merged/usr/lib/x86_64-linux-gnu/libcuda.so.1: file exists: unknown."},
        {"CC210 certain", "device rules",
         "nvidia-container-cli: mount error: failed to add device rules: unable to find any existing device "
         "filters attached to the cgroup: bpf_prog_query(BPF_CGROUP_DEVICE) failed: operation not permitted"},
        {"CC210 certain", "blocks the access",
         "Failed to initialize NVML: GPU access blocked by the operating system"},
        {"CC210 likely", "lost its access", "Failed to initialize NVML: Unknown Error"},
        {"CC210 certain", "a device file of the driver is missing",
         "Error: stat /dev/nvidia-uvm: no such file or directory"},
        {"CC210 likely", "without its GPUs",
         "exec: \"nvidia-smi\": executable file not found in $PATH: unknown."},
        {"CC210 certain", "not installed", "WARNING: Could not find any nv files on this host!"},
        {"CC210 certain", "no node of the cluster",
         "Warning  FailedScheduling  0/3 nodes are available: 3 Insufficient nvidia.com/gpu."},
        {"CC210 likely", "/dev/nvidia-uvm",
         "$ podman run --device nvidia.com/gpu=all pytorch python3\n>>> torch.cuda.is_available()\nFalse"},
        {"CC604 likely", "CPU build", ">>> torch.cuda.is_available()\nFalse"},
        {"CC604 likely", "CPU build", "torch.cuda.is_available() returns False"},
        {"CC604 likely", "CPU build", "torch.cuda.is_available() -> False"},
        {"CC604 likely", "CPU build", "but torch.cuda.is_available() gives False"},
    });
}

TEST_CASE("the driver: kernel module, fabric manager, MIG, vGPU") {
    check_classes({
        {"CC210 likely", "fabric manager", "RuntimeError: CUDA error: system not yet initialized"},
        {"CC210 likely", "fabric manager", "cuInit failed: CUDA_ERROR_SYSTEM_NOT_READY"},
        {"CC210 likely", "fabric manager", "CUDA error 802 at init.cpp:12"},
        {"CC210 certain", "MIG mode is on",
         "gpu-feature-discovery: Error: No MIG devices associated with GPU 0"},
        {"CC210 certain", "MIG mode",
         "all devices on the node must be configured with the same migEnabled value"},
        {"CC210 certain", "licence", "CUDA_ERROR_DEVICE_NOT_LICENSED"},
        {"CC210 certain", "Secure Boot",
         "modprobe: ERROR: could not insert 'nvidia': Key was rejected by service"},
        {"CC210 certain", "none was built for it",
         "modprobe: FATAL: Module nvidia not found in directory /lib/modules/6.8.0-45-generic"},
        {"CC210 certain", "was not built",
         "Error! Bad return status for module build on kernel: 6.5.0-14-generic (x86_64)\n"
         "Consult /var/lib/dkms/nvidia/535.129.03/build/make.log for more information."},
        {"CC210 certain", "another driver",
         "ERROR: The Nouveau kernel driver is currently in use by your system."},
        {"CC210 certain", "open kernel modules",
         "NVRM: The NVIDIA GPU 0000:01:00.0 (PCI ID: 10de:2b85)\n"
         "NVRM: installed in this system requires use of the NVIDIA open kernel modules."},
        {"CC210 certain", "gives no reason",
         "CUDA unknown error - this may be due to an incorrectly set up environment, e.g. changing env "
         "variable"},
        {"CC210 possible", "gives no reason", "cudaGetDeviceCount returned 30"},
        {"CC209 likely", "contain the same file",
         "dpkg: error processing archive: trying to overwrite '/usr/lib/x86_64-linux-gnu/libnvidia-ml.so.1', "
         "which "
         "is also in package nvidia-340 340.108-0ubuntu2"},
        {"CC208 certain", "CUDA 11.4",
         "UserWarning: CUDA initialization: The NVIDIA driver on your system is too old (found version "
         "11040)."},
        {"other likely", "hardware", "CUDA error 214: uncorrectable ECC error encountered"},
        {"other certain", "MPS", "cudaErrorMpsServerNotReady"},
        {"other certain", "GPU number", "RuntimeError: CUDA error: invalid device ordinal"},
    });
}

TEST_CASE("video: parts of the driver, and what they need") {
    check_classes({
        {"CC210 likely", "driver", "Cannot load libcuda.so.1"},
        {"CC210 certain", "libnvcuvid.so.1", "[h264_cuvid @ 0x3a46360] Cannot load libnvcuvid.so.1"},
        {"CC210 certain", "libnvidia-encode.so.1",
         "ImportError: libnvidia-encode.so.1: cannot open shared object file: No such file or directory"},
        {"CC208 certain", "NVENC 12.0, the driver has 11.1",
         "Driver does not support the required nvenc API version. Required: 12.0 Found: 11.1"},
        {"CC208 certain", "522.25", "The minimum required Nvidia driver for nvenc is 522.25 or newer"},
    });
}

TEST_CASE("numbers and names of NVML, and errors in the words of single programs") {
    check_classes({
        {"CC210 likely", "gives no reason", "unable to load: nvml vram init failure: 999"},
        {"CC209 certain", "different driver releases", "nvml init failure: 18"},
        {"CC210 certain", "driver", "pynvml.NVMLError_DriverNotLoaded: Driver Not Loaded"},
        {"CC210 likely", "gives no reason", "cuInit err: 999"},
        {"CC209 certain", "forward compatibility",
         "Cuda driver error 804 in call at file 'nvd_device.h' in line 333."},
        {"other likely", "exclusive mode", "CUDA error (all CUDA-capable devices are busy or unavailable)"},
        {"CC612 certain", "CUDA 13.0.0",
         "Error: This version of CUDA.jl only supports NVIDIA drivers for CUDA 11.x or 12.x (yours is for "
         "CUDA 13.0.0)"},
        {"CC208 certain", "too old",
         "Error: This version of CUDA.jl only supports NVIDIA drivers for CUDA 11.x or 12.x (yours is for "
         "CUDA 10.2.0)"},
    });
}

TEST_CASE("engines of TensorRT") {
    check_classes({
        {"CC612 certain", "built with 10.0.1, loaded with 8.6.1",
         "[TRT] [E] 6: The engine plan file is not compatible with this version of TensorRT, expecting "
         "library "
         "version 8.6.1 got 10.0.1, please rebuild."},
        {"CC612 certain", "another release of TensorRT",
         "Error Code 1: Serialization (Serialization assertion stdVersionRead == kSERIALIZATION_VERSION "
         "failed.Version tag does not match. Note: Current Version: 237, Serialized Engine Version: 239)"},
        {"CC612 certain", "another release of TensorRT",
         "[TensorRT] ERROR: coreReadArchive.cpp (38) - Serialization Error in verifyHeader: 0 (Version tag "
         "does "
         "not match)"},
        {"CC612 certain", "another platform",
         "IRuntime::deserializeCudaEngine: Error Code 1: Serialization (Serialization assertion "
         "plan->header.pad "
         "== expectedPlatformTag failed.Platform specific tag mismatch detected. TensorRT plan files are "
         "only "
         "supported on the target runtime platform they were created on.)"},
        {"CC204 certain", "compute capability 8.6, this GPU has 7.5",
         "The engine plan file is generated on an incompatible device, expecting compute 7.5 got compute "
         "8.6, please "
         "rebuild."},
        {"other likely", "damaged",
         "The engine plan file is not compatible with this version of TensorRT, expecting library version "
         "7.1.3 got "
         "0.0.0, please rebuild."},
        {"other certain", "plugin",
         "[TRT] [E] 3: getPluginCreator could not find plugin: BatchedNMS_TRT version: 1"},
    });
}

TEST_CASE("a library that is opened by name, in the words of each language") {
    check_classes({
        {"CC305 likely", "libcudnn.so",
         "Error: Cannot load cudnn shared library. Cannot invoke method cudnnGetVersion at "
         "(dynload/cudnn.cc:63)"},
        {"CC401 certain", "libcublas.so",
         "RuntimeError: (PreconditionNotMet) The third-party dynamic library (libcublas.so) that Paddle "
         "depends on is "
         "not configured correctly. (error code is libcublas.so: cannot open shared object file)"},
        {"CC501 likely", "nvrtc64_80.dll is not found",
         "Could not load \"nvrtc64_80.dll\": The specified module"},
        {"CC401 certain", "libcublas.so",
         "Unable to dynamically load the \"cublas\" shared library - searched for library names: "
         "[\"cublas\"]"},
        {"CC210 likely", "driver",
         "Unable to dynamically load the \"cuda\" shared library - searched for library names: "
         "[\"libcuda.so\"]"},
        {"CC210 likely", "driver", "Error: could not load library \"libcuda\""},
        {"CC501 likely", "cudart64_110.dll",
         "java.lang.UnsatisfiedLinkError: no cudart64_110 in java.library.path"},
        {"CC501 likely", "cublas64_10.dll",
         "kernel32.LoadLibrary():'cublas64_10.dll' not found. CUDA is required"},
        {"CC401 likely", "libnvinfer.so.8",
         "ImportError: libnvinfer.so.8: cannot open shared object file: No such file or directory"},
        {"CC501 likely", "zlibwapi.dll", "Could not load library cudnn_cnn_infer64_8.dll. Error code 126"},
        {"CC305 likely", "cudnn_ops_infer64_8.dll",
         "Could not load library cudnn_ops_infer64_8.dll. Error code 126"},
        {"CC501 certain", "native\\engine_cuda.dll, or a DLL that it needs",
         "System.DllNotFoundException: Unable to load DLL 'native\\engine_cuda.dll' or one of its "
         "dependencies: The "
         "specified module could not be found."},
        {"other likely", "_sqlite3",
         "ImportError: DLL load failed while importing _sqlite3: The specified module could not be found."},
        {"CC501 likely", "onnxruntime_pybind11_state",
         "ImportError: DLL load failed while importing onnxruntime_pybind11_state: The specified module "
         "could not be "
         "found."},
        {"CC404 certain", "libcublas.so.11 is of CUDA 11, the log names CUDA 12.4.131",
         "ImportError: libcublas.so.11: cannot open shared object file: No such file or directory\n"
         "Cuda compilation tools, release 12.4, V12.4.131"},
        {"CC401 certain", "libcublas.so.11 is not found",
         "PyTorch version: 2.1.0+cu118\nImportError: libcublas.so.11: cannot open shared object file: No "
         "such file or "
         "directory\nCuda compilation tools, release 12.4, V12.4.131"},
        // The same file name in CUDA 10 to 13.
        {"CC401 certain", "libcurand.so.10 is not found",
         "ImportError: libcurand.so.10: cannot open shared object file: No such file or directory\n"
         "Cuda compilation tools, release 12.4, V12.4.131"},
        {"CC403 likely", "/opt/cuda-12.1/lib64/libnvJitLink.so.12 for libcusparse.so.12",
         "  77: file=libnvJitLink.so.12 [0];  needed by "
         "/home/u/venv/lib/python3.11/site-packages/torch/lib/../../nvidia/cusparse/lib/libcusparse.so.12 "
         "[0]\n"
         "  77: find library=libnvJitLink.so.12 [0]; searching\n"
         "  77:  search path=/opt/mpi/lib:/opt/cuda-12.1/lib64\t\t(LD_LIBRARY_PATH)\n"
         "  77:   trying file=/opt/mpi/lib/libnvJitLink.so.12\n"
         "  77:   trying file=/opt/cuda-12.1/lib64/libnvJitLink.so.12\n"},
        {"CC402 certain", "nvidia-nccl-cu11 and nvidia-nccl-cu12 contain the same files",
         "ImportError: libtorch_cuda.so: undefined symbol: ncclCommWindowRegister\n"
         "nvidia-nccl-cu12==2.27.3\nnvidia-nccl-cu11==2.14.3\n"},
        {"CC402 certain", "libnccl is loaded from another release",
         "ImportError: libtorch_cuda.so: undefined symbol: ncclCommWindowRegister\n"},
    });
}

TEST_CASE("what a build misses, by its name") {
    check_classes({
        {"other certain", "missing, or not on PATH: ninja",
         "FileNotFoundError: [Errno 2] No such file or directory: 'ninja'"},
        {"other certain", ": ninja",
         "CMake Error: CMake was unable to find a build program corresponding to \"Ninja\"."},
        {"other certain", ": g++", "error: command 'g++' failed: No such file or directory"},
        {"other likely", ": cmake", "/bin/sh: 1: cmake: not found"},
        {"other likely", ": git", "'git' is not recognized as an internal or external command,"},
        {"CC105 likely", "cuobjdump", "FileNotFoundError: [Errno 2] No such file or directory: 'cuobjdump'"},
        {"CC105 likely", "cusolverDn.h", "x.cpp:1:10: fatal error: 'cusolverDn.h' file not found"},
        {"CC105 likely", "cublas_v2.h", "error C1083: Cannot open include file: 'cublas_v2.h': No such file"},
        {"CC305 certain", "cudnn_version.h",
         "a.cu(2): fatal error: cudnn_version.h: No such file or directory"},
        {"other certain", "Python.h", "a.cpp:1:10: fatal error: Python.h: No such file or directory"},
        {"other likely", "cuda_utils.h", "a.cpp:1:10: fatal error: cuda_utils.h: No such file or directory"},
        {"CC105 likely", "cusparse", "/usr/bin/ld: cannot find -lcusparse: No such file or directory"},
        {"CC105 likely", "cublas.lib", "LINK : fatal error LNK1181: cannot open input file 'cublas.lib'"},
        {"CC105 likely", "libcuda.so", "/usr/bin/ld: cannot find -lcuda"},
        {"CC104 certain", "libcudadevrt.a is of CUDA 12.3, nvlink of CUDA 11.8",
         "nvlink fatal   : Input file '/opt/cuda/lib64/libcudadevrt.a' newer than toolkit (123 vs 118)"},
        {"other likely", "memory", "nvcc error   : 'ptxas' died due to signal 9 (Kill signal)"},
        {"other likely", "crashed", "nvcc error   : 'cicc' died due to signal 11 (Invalid memory reference)"},
        {"CC106 certain", "HPC SDK",
         "nvfortran-Error-A CUDA toolkit matching the current driver version (0) or a supported older "
         "version (11.8) "
         "was not installed with this HPC SDK."},
        {"CC204 certain", "no code for this GPU",
         "Rebuild this file with -gpu=cc75 to use NVIDIA Tesla GPU 0"},
        {"CC202 certain", "PTX", "call to cuModuleLoadData returned error 222: Other"},
        {"CC204 certain", "(sm_61); it has code for sm_50 sm_70",
         "ggml-cuda.cu:82: ERROR: CUDA kernel mul_mat_q has no device code compatible with CUDA arch 610. "
         "ggml-cuda.cu was compiled for: 500,700"},
        {"CC601 likely", "uses CUDA 12.6, but the framework was compiled with CUDA 12.4",
         "Cuda compilation tools, release 12.6, V12.6.20\n"
         "RuntimeError: Cuda extensions are being compiled with a version of Cuda that does not match the "
         "version "
         "used to compile Pytorch binaries.  Pytorch binaries were compiled with Cuda 12.4."},
        {"CC203 certain", "sm_120",
         "nvcc cannot target gpu arch 120. Available nvcc targets are [50, 52, 90]."},
        {"CC108 certain", "clang",
         "__clang_cuda_runtime_wrapper.h:79:2: error: \"Unsupported CUDA version!\""},
    });
}

TEST_CASE("a cuDNN for another CUDA than the framework's, where cuDNN fails") {
    const std::string failed =
        "RuntimeError: cuDNN error: CUDNN_STATUS_NOT_INITIALIZED\nPyTorch version: 2.1.0+cu121\n";
    CHECK(first_answer(failed + "[pip3] nvidia-cudnn-cu11==8.9.5.29\n") ==
          "CC304 likely: PyTorch 2.1.0+cu121 is built for CUDA 12.1, but the log lists a cuDNN for CUDA 11");
    CHECK(first_answer(failed + "[pip3] nvidia-cudnn-cu12==8.9.2.26\n").substr(0, 14) == "CC302 possible");
}
