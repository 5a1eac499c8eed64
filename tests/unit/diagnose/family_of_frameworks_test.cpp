// Messages of whole families, as tools write them: TensorFlow, JAX, Triton, ONNX Runtime.
// SPDX-License-Identifier: Apache-2.0
#include "class.hpp"

using namespace ptxguard;

TEST_CASE("frameworks: tensorflow") {
    check_classes({
        {"CC401 certain", "libcudart.so.11.0 is not found",
         "2023-03-01 10:00:00.0: W tensorflow/stream_executor/platform/default/dso_loader.cc:64] Could not "
         "load dynamic library 'libcudart.so.11.0'; dlerror: libcudart.so.11.0: cannot open shared object "
         "file: No such file or directory; LD_LIBRARY_PATH: /usr/lib"},
        {"CC501 likely", "cudart64_110.dll is not found",
         "W tensorflow/stream_executor/platform/default/dso_loader.cc:64] Could not load dynamic library "
         "'cudart64_110.dll'; dlerror: cudart64_110.dll not found"},
        {"CC305 likely", "cuDNN is not found",
         "W tensorflow/stream_executor/platform/default/dso_loader.cc:64] Could not load dynamic library "
         "'cudnn64_8.dll'; dlerror: cudnn64_8.dll not found"},
        {"CC305 likely", "cuDNN is not found",
         "W tensorflow/core/common_runtime/gpu/gpu_device.cc:1850] Could not load dynamic library "
         "'libcudnn.so.8'; dlerror: libcudnn.so.8: cannot open shared object file"},
        {"CC501 likely", "cudart64_100.dll is not found",
         "ImportError: Could not find 'cudart64_100.dll'. TensorFlow requires that this DLL be installed in "
         "a directory that is named in your %PATH% environment variable. Download and install CUDA 10.0 from "
         "this URL"},
        {"CC305 likely", "cuDNN is not found",
         "ImportError: Could not find 'cudnn64_7.dll'. TensorFlow requires that this DLL be installed in a "
         "directory that is named in your %PATH%"},
        {"other likely", "a library that is not from NVIDIA is missing",
         "ImportError: Could not find the DLL(s) 'msvcp140_1.dll'. TensorFlow requires that these DLLs be "
         "installed in a directory that is named in your %PATH%"},
        {"CC401 certain", "libcublas.so.9.0 is not found",
         "ImportError: libcublas.so.9.0: cannot open shared object file: No such file or directory\nFailed "
         "to load the native TensorFlow runtime."},
        {"CC302 certain", "the program was built with cuDNN 8.1.0 but l",
         "E tensorflow/stream_executor/cuda/cuda_dnn.cc:378] Loaded runtime CuDNN library: 8.0.5 but source "
         "was compiled with: 8.1.0.  CuDNN library needs to have matching major version and equal or higher "
         "minor version."},
        {"CC210 likely", "the driver reports no GPU",
         "E tensorflow/stream_executor/cuda/cuda_driver.cc:318] failed call to cuInit: CUDA_ERROR_NO_DEVICE: "
         "no CUDA-capable device is detected"},
        {"CC210 likely", "the driver cannot be initialised and gives n",
         "failed call to cuInit: CUDA_ERROR_UNKNOWN: unknown error"},
        {"CC210 possible", "the driver cannot be initialised", "failed call to cuInit: UNKNOWN ERROR (303)"},
        {"CC210 possible", "the driver cannot be initialised", "failed call to cuInit: UNKNOWN ERROR (100)"},
        {"CC209 certain", "libcuda and the kernel module are from diffe",
         "kernel version 525.85.5 does not match DSO version 525.105.17 -- cannot find working devices in "
         "this configuration"},
        {"CC607 certain", "the installed framework has no code for this",
         "I tensorflow/core/common_runtime/gpu/gpu_device.cc:1885] Ignoring visible gpu device (device: 0, "
         "name: GeForce GT 730, pci bus id: 0000:01:00.0, compute capability: 3.0) with Cuda compute "
         "capability 3.0. The minimum required Cuda capability is 3.5."},
        {"CC607 certain", "the installed framework has no code for this",
         "Ignoring visible gpu device (device: 0, name: Quadro 4000, pci bus id: 0000:05:00.0) with Cuda "
         "compute capability 2.0. The minimum required Cuda capability is 3.0."},
        {"other certain", "never calls ptxas on Windows",
         "Internal: Invoking GPU asm compilation is supported on Cuda non-Windows platforms only\nRelying on "
         "driver to perform ptx compilation."},
        {"CC109 certain", "the framework finds no ptxas that it can use",
         "Not found: ./bin/ptxas not found\nRelying on driver to perform ptx compilation. \nModify $PATH to "
         "customize ptxas location."},
        {"CC109 likely", "the framework finds no ptxas that it can use",
         "INTERNAL: Failed to launch ptxas\nRelying on driver to perform ptx compilation."},
        {"CC111 certain", "XLA finds no libdevice.10.bc",
         "UNKNOWN: /usr/local/cuda... JIT compilation failed.\nlibdevice not found at ./libdevice.10.bc"},
        {"CC604 possible", "the framework does not see CUDA",
         "InvalidArgumentError: Cannot assign a device for operation MatMul: Could not satisfy explicit "
         "device specification '/device:GPU:0' because no supported kernel for GPU devices is available."},
        {"CC302 likely", "cuDNN cannot be initialised",
         "tensorflow.python.framework.errors_impl.UnknownError: Failed to get convolution algorithm. This is "
         "probably because cuDNN failed to initialize, so try looking to see if a warning log message was "
         "printed above."},
        {"CC302 likely", "cuDNN cannot be initialised",
         "FAILED_PRECONDITION: DNN library initialization failed. Look at the errors above for more "
         "details."},
        {"CC305 likely", "cuDNN is not found", "UNIMPLEMENTED: DNN library is not found."},
        {"CC407 likely", "cuBLAS failed",
         "INTERNAL: Attempting to perform BLAS operation using StreamExecutor without BLAS support"},
        {"CC407 possible", "cuBLAS failed",
         "failed to create cublas handle: the library was not initialized"},
        {"CC407 possible", "cuBLAS failed",
         "E tensorflow/stream_executor/cuda/cuda_blas.cc:428] failed to run cuBLAS routine: "
         "CUBLAS_STATUS_EXECUTION_FAILED"},
        {"CC604 likely", "the framework does not see CUDA",
         "Found GPU at: \nSystemError: GPU device not found"},
        {"CC604 possible", "the framework does not see CUDA",
         "Could not find tensorflow-gpu ... Device mapping: no known devices."},
        {"CC604 possible", "the framework does not see CUDA",
         "tensorflow/core/common_runtime/direct_session.cc: Device mapping: no known devices."},
        {"other certain", "the GPU's memory is used up",
         "ResourceExhaustedError: OOM when allocating tensor with shape[128,512]"},
        {"other certain", "Python packages do not fit each other",
         "TypeError: Descriptors cannot not be created directly."},
        {"CC210 possible", "the driver cannot be initialised",
         "E external/local_xla/xla/stream_executor/cuda/cuda_driver.cc:282] failed call to cuInit: UNKNOWN "
         "ERROR (34)"},
        {"CC408 certain", "the toolkit's stub of libcuda is loaded in p",
         "failed call to cuInit: CUDA_ERROR_STUB_LIBRARY: CUDA driver is a stub library"},
        {"CC401 possible", "a library of CUDA is not found",
         "W0000 gpu_device.cc:2344] Cannot dlopen some GPU libraries. Please make sure the missing libraries "
         "mentioned above are installed properly if you would like to use GPU."},
    });
}

TEST_CASE("frameworks: jax") {
    check_classes({
        {"CC604 likely", "the CUDA part of the framework is not instal",
         "WARNING:absl:No GPU/TPU found, falling back to CPU. (Set TF_CPP_MIN_LOG_LEVEL=0 and rerun for more "
         "info.)"},
        {"CC604 likely", "the CUDA part of the framework is not instal",
         "An NVIDIA GPU may be present on this machine, but a CUDA-enabled jaxlib is not installed. Falling "
         "back to cpu."},
        {"CC612 certain", "packages that must fit each other are from d",
         "RuntimeError: jaxlib is version 0.4.20, but this version of jax requires version >= 0.4.27."},
        {"CC612 certain", "packages that must fit each other are from d",
         "RuntimeError: jaxlib version 0.4.30 is newer than and incompatible with jax version 0.4.26. Please "
         "update your jax and/or jaxlib packages."},
        {"CC402 likely", "the program was built with cuBLAS 12.2.5 but",
         "Found cuBLAS version 120103, but JAX was built against version 120205, which is newer. The copy of "
         "cuBLAS that is installed must be at least as new"},
        {"CC305 likely", "cuDNN is not found",
         "RuntimeError: Unable to initialize backend 'cuda': Unable to load cuDNN. Is it installed?"},
        {"CC210 likely", "the driver reports no GPU",
         "RuntimeError: Unable to initialize backend 'cuda': INTERNAL: no supported devices found for "
         "platform CUDA"},
        {"CC208 likely", "the driver is too old for the CUDA runtime o",
         "xla_bridge: CUDA backend failed to initialize: FAILED_PRECONDITION: The CUDA driver version is "
         "insufficient"},
        {"CC604 likely", "the CUDA part of the framework is not instal",
         "RuntimeError: Unknown backend: 'gpu' requested, but no platforms that are instances of gpu are "
         "present. Platforms present are: interpreter,cpu"},
        {"CC604 likely", "the CUDA part of the framework is not instal",
         "RuntimeError: Unknown backend cuda. Available backends are ['cpu']"},
        {"CC604 possible", "the CUDA part of the framework is not instal",
         "RuntimeError: Backend 'gpu' failed to initialize: Available backends are {'interpreter', 'cpu'}"},
        {"CC604 possible", "the CUDA part of the framework is not instal",
         "RuntimeError: Requested backend gpu, but it failed to initialize: Not found: No registered "
         "platform"},
        {"other certain", "the GPU's memory is used up",
         "jaxlib.xla_extension.XlaRuntimeError: RESOURCE_EXHAUSTED: Out of memory while trying to allocate "
         "8589934592 bytes."},
        {"CC302 likely", "cuDNN cannot be initialised",
         "XlaRuntimeError: FAILED_PRECONDITION: DNN library initialization failed"},
        {"CC109 certain", "the framework finds no ptxas that it can use",
         "XlaRuntimeError: NOT_FOUND: Couldn't find a suitable version of ptxas. Below are the locations we "
         "tried"},
        {"CC203 certain", "ptxas does not support sm_120",
         "ptxas fatal   : Value 'sm_120' is not defined for option 'gpu-name'"},
        {"CC203 certain", "ptxas does not support sm_120a",
         "XlaRuntimeError: INTERNAL: ptxas exited with non-zero error code 65280, output: ptxas fatal   : "
         "Value 'sm_120a' is not defined for option 'gpu-name'"},
        {"CC401 certain", "libcudart.so.12 is not found",
         "ImportError: libcudart.so.12: cannot open shared object file: jaxlib/cuda/_versions.so"},
        {"CC612 certain", "packages that must fit each other are from d",
         "XlaRuntimeError: UNIMPLEMENTED: mismatched PJRT plugin PJRT API version (0.54). Framework 0.67"},
        {"CC604 likely", "the CUDA part of the framework is not instal",
         "jaxlib/cuda ... ModuleNotFoundError: No module named 'jax_cuda12_plugin'"},
    });
}

TEST_CASE("frameworks: triton") {
    check_classes({
        {"CC203 certain", "ptxas does not support sm_121a",
         "triton.runtime.errors.PTXASError: PTXAS error: Internal Triton PTX codegen error\n`ptxas` "
         "stderr:\nptxas fatal   : Value 'sm_121a' is not defined for option 'gpu-name'"},
        {"CC105 likely", "the linker finds no libcuda.so, the name tha",
         "subprocess.CalledProcessError: Command '['/usr/bin/gcc', '/tmp/x/main.c', '-O3', '-shared', "
         "'-fPIC', '-lcuda']' returned non-zero exit status 1.\n/usr/bin/ld: cannot find -lcuda: No such "
         "file or directory"},
        {"CC210 likely", "the NVIDIA driver is not installed, not load",
         "AssertionError: libcuda.so cannot found!"},
        {"CC204 likely", "a program, library or extension has no code ",
         "RuntimeError: Triton Error [CUDA]: device kernel image is invalid"},
        {"CC202 certain", "the driver is older than the compiler of thi",
         "RuntimeError: Triton Error [CUDA]: the provided PTX was compiled with an unsupported toolchain."},
        {"other likely", "the program calls CUDA with values that do n",
         "triton.runtime.errors.OutOfResources: out of resource: shared memory, Required: 131072, Hardware "
         "limit: 101376."},
        {"CC203 likely", "the compiler does not support this GPU",
         "LLVM ERROR: Cannot select: intrinsic %llvm.nvvm.shfl.sync.bfly.i32"},
        {"CC612 likely", "packages that must fit each other are from d",
         "AttributeError: module 'triton' has no attribute 'language'"},
        {"other likely", "a Python package is missing", "ModuleNotFoundError: No module named 'triton'"},
        {"CC203 certain", "the compiler does not support this GPU",
         "'sm_120' is not a recognized processor for this target (ignoring processor)"},
        {"other certain", "a program that the build needs is missing, o",
         "RuntimeError: Failed to find C compiler. Please specify via CC environment variable or set "
         "triton.knobs.build.impl."},
    });
}

TEST_CASE("frameworks: ort") {
    check_classes({
        {"CC501 certain", "C",
         "[E:onnxruntime:Default, provider_bridge_ort.cc:1992 onnxruntime::TryGetProviderInfo_CUDA] "
         "D:\\a\\_work\\1\\s\\onnxruntime\\core\\session\\provider_bridge_ort.cc:1637 "
         "onnxruntime::ProviderLibrary::Get [ONNXRuntimeError] : 1 : FAIL : LoadLibrary failed with error "
         "126 \"\" when trying to load "
         "\"C:\\Python\\lib\\site-packages\\onnxruntime\\capi\\onnxruntime_providers_cuda.dll\""},
        {"CC305 likely", "cuDNN is not found",
         "[ONNXRuntimeError] : 1 : FAIL : Failed to load library libonnxruntime_providers_cuda.so with "
         "error: libcudnn_adv.so.9: cannot open shared object file: No such file or directory"},
        {"CC401 certain", "libcufft.so.11 is not found",
         "Failed to load library libonnxruntime_providers_cuda.so with error: libcufft.so.11: cannot open "
         "shared object file: No such file or directory"},
        {"CC604 likely", "the installed framework is a build without C",
         "UserWarning: Specified provider 'CUDAExecutionProvider' is not in available provider "
         "names.Available providers: 'AzureExecutionProvider, CPUExecutionProvider'"},
        {"CC401 likely", "a library of CUDA is not found",
         "[W:onnxruntime:Default, onnxruntime_pybind_state.cc:965 CreateExecutionProviderInstance] Failed to "
         "create CUDAExecutionProvider. Please reference "
         "https://onnxruntime.ai/docs/execution-providers/CUDA-ExecutionProvider.html#requirements to ensure "
         "all dependencies are met."},
        {"CC204 likely", "a program, library or extension has no code ",
         "onnxruntime CUDA failure 209: no kernel image is available for execution on the device ; GPU=0"},
        {"CC208 likely", "the driver is too old for the CUDA runtime o",
         "CUDA failure 35: CUDA driver version is insufficient for CUDA runtime version ; GPU=0"},
        {"CC210 likely", "the driver reports no GPU",
         "CUDA failure 100: no CUDA-capable device is detected ; GPU=-1"},
        {"CC401 likely", "a library of CUDA is not found",
         "EP Error /onnxruntime_src/onnxruntime/python/onnxruntime_pybind_state.cc:857 "
         "onnxruntime::python::CreateExecutionProviderInstance CUDA_PATH is set but CUDA wasnt able to be "
         "loaded. Please install the correct version of CUDA andcuDNN as mentioned in the GPU requirements "
         "page"},
        {"CC612 likely", "packages that must fit each other are from d",
         "Ort::Exception: The requested API version [17] is not available, only API versions [1, 14] are "
         "supported in this build. Current ORT Version is: 1.14.1"},
        {"CC401 likely", "libnvinfer.so.10 is not found",
         "Failed to load library libonnxruntime_providers_tensorrt.so with error: libnvinfer.so.10: cannot "
         "open shared object file: No such file or directory"},
        {"other certain", "a file is damaged, incomplete or not what it",
         "onnxruntime.capi.onnxruntime_pybind11_state.InvalidProtobuf: [ONNXRuntimeError] : 7 : "
         "INVALID_PROTOBUF : Load model from model.onnx failed:Protobuf parsing failed."},
        {"other certain", "a file or folder that the program names does",
         "[ONNXRuntimeError] : 3 : NO_SUCHFILE : Load model from model.onnx failed: File doesn't exist"},
        {"other certain", "Python packages do not fit each other",
         "[ONNXRuntimeError] : 10 : INVALID_GRAPH : Unsupported model IR version: 10, max supported IR "
         "version: 9"},
    });
}
