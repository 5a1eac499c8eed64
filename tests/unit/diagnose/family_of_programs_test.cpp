// Messages of whole families, as tools write them: what other programs write.
// SPDX-License-Identifier: Apache-2.0
#include "class.hpp"

using namespace ptxguard;

TEST_CASE("programs: more wordings, by recall of real issues") {
    check_classes({
        {"CC210 likely", "a library of the driver is empty or damaged",
         "OSError: /usr/lib/x86_64-linux-gnu/libcuda.so.1: file too short"},
        {"CC210 likely", "the NVIDIA driver is not installed, not load",
         "libcuda.so.1: cannot open shared object file: No such file or directory\nWSL2 Ubuntu 22.04"},
        {"CC218 likely", "in WSL the driver is that of Windows, and an",
         "torch.cuda.is_available() False\n/usr/lib/wsl/lib/libcuda.so.1"},
        {"CC408 certain", "the toolkit's stub of libcuda is loaded in p",
         "Could not load library libcuda.so. Error: /usr/local/cuda/lib64/stubs/libcuda.so: CUDA driver is a "
         "stub library"},
        {"CC204 likely", "the architectures to compile for are older t",
         "ptxas /tmp/tmpxft.ptx, line 83; error   : Feature '.bf16' requires .target sm_80 or higher"},
        {"CC204 likely", "the architectures to compile for are older t",
         "ptxas /tmp/tmpxft.ptx, line 83; error   : Instruction 'cp.async.bulk' requires .target sm_90 or "
         "higher"},
        {"CC204 likely", "the code uses instructions that belong to on",
         "ptxas error : Instruction 'wgmma.fence' not supported on .target 'sm_90'"},
        {"CC204 likely", "the code uses instructions that belong to on",
         "ptxas error : Instruction 'tcgen05.alloc' not supported on .target 'sm_100'"},
        {"CC213 possible", "the PTX is refused for what is in it, not fo",
         "ptxas /tmp/x.ptx, line 10; error   : Modifier '.noftz' requires .target sm_53"},
        {"CC203 certain", "nvcc does not support compute_37",
         "nvcc fatal   : Unsupported gpu architecture 'compute_37'"},
        {"CC203 certain", "the compiler does not support this GPU",
         "clang: error: unsupported CUDA gpu architecture: sm_120"},
        {"CC108 certain", "clang is older than the CUDA toolkit, whose ",
         "clang: warning: CUDA version is newer than the latest supported version 12.3 "
         "[-Wunknown-cuda-version]\nerror: 'Unsupported CUDA version!'"},
        {"CC203 certain", "architectures does not know 8.9",
         "RuntimeError: Unknown CUDA arch (8.9) or GPU not supported"},
        {"CC203 certain", "architectures does not know 12.0+PTX",
         "ValueError: Unknown CUDA arch (12.0+PTX) or GPU not supported"},
        {"CC210 certain", "the NVIDIA driver is not installed, not load",
         "UserWarning: CUDA initialization: Found no NVIDIA driver on your system."},
        {"CC210 possible", "the driver cannot be initialised", "UserWarning: Can't initialize NVML"},
        {"CC210 certain", "the driver cannot be initialised and gives n",
         "UserWarning: CUDA initialization: CUDA unknown error - this may be due to an incorrectly set up "
         "environment, e.g. changing env variable CUDA_VISIBLE_DEVICES after program start. Setting the "
         "available devices to be zero."},
        {"CC607 certain", "the installed framework has no code for this",
         "NVIDIA GeForce RTX 3090 with CUDA capability sm_86 is not compatible with the current PyTorch "
         "installation.\nThe current PyTorch install supports CUDA capabilities sm_37 sm_50 sm_60 sm_70."},
        {"CC607 certain", "the installed framework has no code for this",
         "Found GPU0 Tesla K40c which is of cuda capability 3.5.\n    PyTorch no longer supports this GPU "
         "because it is too old.\n    The minimum cuda capability supported by this library is 3.7."},
        {"CC604 likely", "the framework does not see CUDA",
         "torch==2.1.0+cpu\ntorch.cuda.is_available() False"},
        {"CC208 likely", "driver 470.182.03 is too old for PyTorch 2.3",
         "PyTorch version: 2.3.0+cu121\nCUDA used to build PyTorch: 12.1\n| NVIDIA-SMI 470.182.03   Driver "
         "Version: 470.182.03   CUDA Version: 11.4     |\ntorch.cuda.is_available() False"},
        {"CC302 certain", "the program was built with cuDNN 8.9.2 but l",
         "RuntimeError: cuDNN version incompatibility: PyTorch was compiled  against (8, 9, 2) but found "
         "runtime version (8, 4, 1). PyTorch already comes bundled with cuDNN."},
        {"CC402 certain", "libcublasLt.so.11 is loaded from another rel",
         "OSError: /site-packages/nvidia/cublas/lib/libcublas.so.11: undefined symbol: "
         "cublasLtGetStatusString, version libcublasLt.so.11"},
        {"CC402 likely", "libnvJitLink.so.12 is loaded from another re",
         "ImportError: /opt/conda/lib/libcusparse.so.12: symbol __nvJitLinkGetLinkedCubin_12_6 version "
         "libnvJitLink.so.12 not defined in file libnvJitLink.so.12 with link time reference"},
        {"CC402 likely", "a library is loaded from another release tha",
         "symbol lookup error: /site-packages/nvidia/cudnn/lib/libcudnn_cnn_infer.so.8: undefined symbol: "
         "_ZN15TracebackIterator..., version libcudnn_ops_infer.so.8"},
        {"CC303 certain", "libraries of cuDNN from different releases a",
         "Could not load library libcudnn_cnn_train.so.8. Error: "
         "/usr/local/cuda/lib64/libcudnn_cnn_train.so.8: undefined symbol: "
         "_ZN5cudnn3cnn34layerNormFwd_execute_internal_implERKNS_7backend11VariantPackEP11CUstream_stRNS0_"
         "18LayerNormFwdParamsERKNS1_20NormForwardOperationEmb, version libcudnn_cnn_infer.so.8"},
        {"CC406 certain", "/lib/x86_64-linux-gnu/libstdc++.so.6 is too ",
         "ImportError: /lib/x86_64-linux-gnu/libstdc++.so.6: version `CXXABI_1.3.13' not found (required by "
         "/opt/conda/lib/python3.10/site-packages/torch/lib/libtorch_python.so)"},
        {"other certain", "a library is loaded too late for its static ",
         "ImportError: /lib/libgomp.so.1: cannot allocate memory in static TLS block"},
        {"CC204 possible", "a program, library or extension has no code ",
         "RuntimeError: cuFFT error: CUFFT_INTERNAL_ERROR\nNVIDIA GeForce RTX 4090\ntorch: 1.13.1+cu117"},
        {"CC501 likely", "cudart64_110.dll is not found",
         "RuntimeError: Could not find cudart64_110.dll in PATH"},
        {"CC604 likely", "the framework does not see CUDA",
         "RuntimeError: Attempting to deserialize object on a CUDA device but torch.cuda.is_available() is "
         "False. If you are running on a CPU-only machine, please use torch.load with "
         "map_location=torch.device('cpu')"},
        {"other certain", "the program asks for a GPU number that is no",
         "RuntimeError: Attempting to deserialize object on CUDA device 1 but torch.cuda.device_count() is "
         "1."},
        {"CC106 likely", "no CUDA toolkit with nvcc is found",
         "OSError: CUDA_HOME environment variable is not set. Please set it to your CUDA install root."},
        {"CC106 likely", "no CUDA toolkit with nvcc is found",
         "EnvironmentError: CUDA_HOME environment variable is not set."},
        {"CC106 likely", "no CUDA toolkit with nvcc is found", "KeyError: 'CUDA_HOME'"},
        {"CC106 likely", "no CUDA toolkit with nvcc is found", "KeyError: 'CUDA_PATH'"},
        {"CC601 certain", "the build uses another CUDA, but the framewo",
         "Warning: Torch did not find available GPUs on this system. ... Cuda extensions are being compiled "
         "with a version of Cuda that does not match the version used to compile Pytorch binaries."},
        {"CC618 likely", "a package was installed without the CUDA cod",
         "RuntimeError: apex.optimizers.FusedAdam requires cuda extensions"},
        {"CC618 likely", "a package was installed without the CUDA cod",
         "Apex: RuntimeError: apex.multi_tensor_apply requires Apex with cuda extensions"},
        {"CC618 likely", "a package was installed without the CUDA cod",
         "ImportError: Please install apex with cuda extension"},
    });
}

TEST_CASE("programs: more wordings, by recall of real issues (2)") {
    check_classes({
        {"CC618 certain", "a package was installed without the CUDA cod",
         "Warning:  multi_tensor_applier fused unscale kernel is unavailable, possibly because apex was "
         "installed without --cuda_ext --cpp_ext. Using Python fallback.  Original ImportError was: "
         "ModuleNotFoundError(\"No module named 'amp_C'\",)"},
        {"CC618 likely", "a package was installed without the CUDA cod",
         "Failed to load CUDA extension, using naive implementation"},
        {"CC106 likely", "no CUDA toolkit with nvcc is found",
         "NerfAcc: No CUDA toolkit found. NerfAcc will be disabled."},
        {"CC618 likely", "a package was installed without the CUDA cod",
         "RuntimeError: spconv is not available / ModuleNotFoundError: No module named 'spconv.core_cc'"},
        {"CC618 likely", "a package was installed without the CUDA cod",
         "ModuleNotFoundError: No module named 'torch_scatter._scatter_cuda'"},
        {"CC604 possible", "the program or library is a build without CU",
         "RuntimeError: Not compiled with CUDA support\ntorch_scatter"},
        {"CC604 possible", "the program or library is a build without CU",
         "RuntimeError: torch_cluster ... Not compiled with CUDA support"},
        {"CC604 certain", "the program or library is a build without CU",
         "dgl._ffi.base.DGLError: [10:00:00] /opt/dgl/src/runtime/c_runtime_api.cc:82: Check failed: "
         "allow_missing: Device API cuda is not enabled. Please install the cuda version of dgl."},
        {"CC604 certain", "the program or library is a build without CU",
         "xgboost.core.XGBoostError: Must have at least one device... XGBoost version not compiled with GPU "
         "support."},
        {"CC604 certain", "the program or library is a build without CU",
         "LightGBMError: GPU Tree Learner was not enabled in this build."},
        {"CC604 certain", "the program or library is a build without CU",
         "LightGBMError: CUDA Tree Learner was not enabled in this build."},
        {"CC604 likely", "the program or library is a build without CU",
         "catboost: Environment for task type [GPU] not found"},
        {"CC604 certain", "the program or library is a build without CU",
         "faiss: AttributeError: module 'faiss' has no attribute 'StandardGpuResources'"},
        {"CC604 likely", "the program or library is a build without CU",
         "AttributeError: module 'cv2' has no attribute 'cuda'"},
        {"CC604 certain", "the program or library is a build without CU",
         "cv2.error: OpenCV(4.5.1) error: (-216:No CUDA support) The library is compiled without CUDA "
         "support in function 'throw_no_cuda'"},
        {"CC604 certain", "the program or library is a build without CU",
         "setUpNet DNN module was not built with CUDA backend; switching to CPU"},
        {"CC604 certain", "the program or library is a build without CU",
         "error: (-215:Assertion failed) preferableBackend != DNN_BACKEND_CUDA"},
        {"CC604 likely", "the program or library is a build without CU",
         "RuntimeError: nvidia-ml... GPU support is not enabled in this build"},
        {"CC604 certain", "the program or library is a build without CU",
         "ffmpeg: Unknown encoder 'h264_nvenc'"},
        {"CC604 certain", "the program or library is a build without CU", "Unrecognized hwaccel: cuda."},
        {"CC210 certain", "a part of the driver, libnvidia-encode.so.1,",
         "[h264_nvenc @ 0x5] Cannot load libnvidia-encode.so.1"},
        {"CC210 likely", "the NVIDIA driver is not installed, not load",
         "[AVHWDeviceContext @ 0x] Could not dynamically load CUDA"},
        {"CC210 likely", "the driver reports no GPU",
         "[AVHWDeviceContext @ 0x5] cu->cuInit(0) failed -> CUDA_ERROR_NO_DEVICE: no CUDA-capable device is "
         "detected"},
        {"CC208 certain", "the driver is older than this program needs",
         "[h264_nvenc @ 0x] Driver does not support the required nvenc API version. Required: 12.2 Found: "
         "12.1"},
        {"other likely", "the encoder takes no further session",
         "[h264_nvenc @ 0x] OpenEncodeSessionEx failed: out of memory (10): (no details)"},
        {"CC203 certain", "nvcc does not support compute_30",
         "Blender: CUDA kernel compilation failed, see console. nvcc fatal : Unsupported gpu architecture "
         "'compute_30'"},
        {"CC204 possible", "a program, library or extension has no code ",
         "Error in CUDA kernel: no kernel image; gpu miner: CUDA error in func 'set_constants' at line 160 : "
         "invalid device symbol"},
        {"CC208 likely", "the driver is too old for the CUDA runtime o",
         "CUDA driver version is insufficient; t-rex: ERROR: Can't start T-Rex, the CUDA driver is outdated"},
        {"CC210 likely", "the NVIDIA driver is not installed, not load",
         "WARN: Can't load NVML library, dlopen(25): failed to load libnvidia-ml.so, error libnvidia-ml.so: "
         "cannot open shared object file"},
    });
}

TEST_CASE("programs: what .NET, TensorFlow on Windows and the driver's functions write without their cause") {
    check_classes({
        {"CC501 likely", "is not found",
         "Unhandled exception. System.TypeInitializationException: The type initializer for "
         "'Microsoft.ML.OnnxRuntime.NativeMethods' threw an exception."},
        {"CC501 likely", "is not found",
         "System.TypeInitializationException: The type initializer for 'LLama.Native.NativeApi' threw an "
         "exception."},
        {"", "",
         "System.TypeInitializationException: The type initializer for 'MyApp.Settings' threw an exception."},
        {"other certain", "never calls ptxas on Windows",
         "2020-02-23 23:33:04.7: W tensorflow/stream_executor/gpu/redzone_allocator.cc:312] Internal: "
         "Invoking GPU "
         "asm compilation is supported on Cuda non-Windows platforms only\nRelying on driver to perform ptx "
         "compilation. This message will be only logged once."},
        {"other certain", "never calls ptxas on Windows",
         "W tensorflow/stream_executor/cuda/redzone_allocator.cc:312] Internal: Invoking ptxas not supported "
         "on "
         "Windows\nRelying on driver to perform ptx compilation."},
        {"CC109 likely", "finds no ptxas",
         "Relying on driver to perform ptx compilation. This message will be only logged once."},
        {"CC109 certain", "finds no ptxas", "Can't invoke ptxas.exe --version"},
        {"CC501 certain", "zlibwapi.dll is not found: cuDNN 8 needs it",
         "Could not locate zlibwapi.dll. Please make sure it is in your library path!"},
        {"CC202 certain", "", "cuLinkAddData failed: 222"},
        {"CC202 certain", "", "cuModuleLoadData failed with error code 222"},
        {"CC204 likely", "", "cuModuleLoadDataEx failed: 209"},
        {"CC302 likely", "cuDNN",
         "Found cuDNN version 8905, but JAX was built against version 8904, which is newer."},
        {"CC302 certain", "8.9.4",
         "Found cuDNN version 8904, but JAX was built against version 8905, which is newer."},
        {"other likely", "number format",
         "ValueError: Your setup doesn't support bf16/gpu. You need torch>=1.10, using Ampere GPU with "
         "cuda>=11.0"},
        {"other likely", "number format",
         "ValueError: --tf32 requires Ampere or a newer GPU arch, cuda>=11 and torch>=1.7"},
        {"CC612 likely", "TensorRT",
         "[TRT] [E] 1: [runtime.cpp::parsePlan::314] Error Code 1: Serialization (Serialization assertion "
         "plan->header.magicTag == rt::kPLAN_MAGIC_TAG failed.)"},
        {"CC204 certain", "",
         "ERROR: CUDA kernel mul_mat_vec has no device code compatible with CUDA arch 600"},
        {"CC104 likely", "", "fatbinary fatal : Unknown option 'compress-mode'"},
    });
    // The file to look at is one that exists: the DLL that lacks another, or the program.
    const auto command_for = [](const char* text) {
        static const Facts facts = Facts::embedded();
        const Explanation all = diagnose("log", find_messages(text), facts, {}).explanation;
        return all.diagnoses.empty() ? std::string() : all.diagnoses.front().decide;
    };
    CHECK(command_for("System.DllNotFoundException: Unable to load DLL 'cublas64_11.dll': not found") ==
          "ptxguard deps PROGRAM.exe");
    CHECK(command_for("Unable to load DLL 'C:\\app\\onnxruntime.dll': not found") ==
          "ptxguard deps C:\\app\\onnxruntime.dll");
}
