// Messages of libraries that open CUDA's by name from other languages (Rust, Julia, Java, Go, Node), of
// NVIDIA's HPC compilers, and of frameworks beside the large ones: PaddlePaddle, MXNet, Theano, OpenCV, dlib,
// Caffe.
// SPDX-License-Identifier: Apache-2.0
#include "messages/message.hpp"
#include "model/ranges.hpp"

namespace ptxguard {
namespace {

// "library_by_word" is refined by the name without its prefix and suffix: "cudnn".
std::vector<Message> of_frameworks() {
    return {
        // PaddlePaddle
        {"PaddlePaddle is not compiled with CUDA", {{"framework_cpu_only", certain}}},
        {"Mismatched GPU Architecture: Your installed Paddle package is compiled for {built:word}, but your "
         "current GPU is {arch:word}",
         {{"framework_lacks_gpu", certain}}},
        {"The GPU architecture in your current machine is {generation:word}, which is not compatible with "
         "Paddle installation with arch: {archs}, it is",
         {{"framework_lacks_gpu", certain}}},
        {"The installed Paddle is compiled with CUDNN {cudnn_built:version}, but CUDNN version in your "
         "machine is {cudnn_found:version}",
         {{"cudnn_versions", likely}}},
        {"installed Paddle is compiled with CUDA {built:version}, but CUDA runtime version in your machine "
         "is {toolkit:version}",
         {{"toolkit_versions", likely}}},
        {"Cannot load {word:word} shared library", {{"library_by_word", certain}}},
        {"The third-party dynamic library ({library:file};{others}) that Paddle depends on is not configured "
         "correctly",
         {{"library_absent", certain}}},
        {"The third-party dynamic library ({library:file}) that Paddle depends on is not configured "
         "correctly",
         {{"library_absent", certain}}},
        {"Failed to find dynamic library: {library:path}", {{"library_absent", certain}}},
        {"Cannot use GPU because you have installed CPU version PaddlePaddle",
         {{"framework_cpu_only", certain}}},
        {"Please recompile or reinstall Paddle with CUDA support", {{"framework_cpu_only", likely}}},
        {"Your Paddle is not compiled with CUDA", {{"framework_cpu_only", certain}}},
        {"You are using GPU version Paddle, but your CUDA device is not set properly",
         {{"no_gpu_visible", likely}}},
        // MXNet
        {"Compile with USE_CUDA=1 to enable GPU usage", {{"framework_cpu_only", certain}}},
        {"ndarray.cc:{at:number}: GPU is not enable", {{"framework_cpu_only", certain}}},
        {"GPU is not enabled", {{"framework_cpu_only", possible}}},
        {"== cudaSuccess: CUDA: initialization error", {{"driver_unusable", possible}}},
        {"CUSOLVER_STATUS_SUCCESS ({status:number} vs. 0)",
         {{"library_captured", possible}, {"gpu_memory", possible}}},
        {"lib mismatch: linked-against version {cudnn_found_number:number} != compiled-against version "
         "{cudnn_built_number:number}",
         {{"cudnn_versions", likely}}},
        {"CUDNN_STATUS_SUCCESS ({status:number} vs. 0)",
         {{"cudnn_failed", possible}, {"gpu_memory", possible}}},
        {"CUBLAS_STATUS_SUCCESS ({status:number} vs. 0)", {{"cublas_status", possible}}},
        // Theano, libgpuarray
        {"Could not load '{library:file}'", {{"library_absent", likely}}},
        {"nvcc compiler not found on $PATH", {{"no_toolkit", likely}, {"nvcc_off_path", likely}}},
        {"Mixed dnn version. The header is version {cudnn_built_number:number} while the library is version "
         "{cudnn_found_number:number}",
         {{"cudnn_versions", certain}}},
        {"Mixed dnn version. The header is from one version, but we link with a different version",
         {{"headers_newer", likely}}},
        {"Could not initialize pygpu, support disabled", Role::echo},
        {"Can not use cuDNN on context", {{"cudnn_missing", possible}}},
        // OpenCV
        {"OpenCV requires enabled 'cudev' module from 'opencv_contrib'", {{"sources_absent", certain}}},
        {"cuDNN reports version {cudnn_found:version} which is not compatible with the version "
         "{cudnn_built:version} with which OpenCV was built",
         {{"cudnn_versions", certain}}},
        {"CUDA backend requires cuDNN", {{"cudnn_missing", likely}}},
        {"CUDA backend for DNN module requires CC {need:version} or higher", {{"list_lacks_gpu", certain}}},
        // Caffe, darknet, dlib
        {"Cannot use GPU in CPU-only Caffe", {{"program_without_cuda", certain}}},
        {"Device API cuda is not enabled. Please install the cuda version of dgl",
         {{"program_without_cuda", certain}}},
        {"Device API cuda is not enabled", {{"program_without_cuda", likely}}},
        // torch for R, ollama
        {"libcudnn v{cudnn_found:version} with header v{cudnn_built:version} unmatched",
         {{"cudnn_versions", certain}}},
        {"Unsupported CUDA version '{found_cuda:version}' Currently supported versions are: "
         "'{supported:version}'",
         {{"toolkit_unsupported", certain}}},
        {"Unsupported CUDA version '{found_cuda:version}'", {{"toolkit_unsupported", likely}}},
        // MATLAB
        {"The selected C++ compiler is not supported for CUDA compilation",
         {{"host_compiler_unsupported", likely}}},
        {"No CUDA toolkit installation could be found", {{"no_toolkit", likely}}},
        {"Version {need:version} of the CUDA toolkit could not be found",
         {{"no_toolkit", likely}, {"toolkit_release_old", possible}}},
        {"No supported compiler or SDK was found. For options, visit https://www.mathworks",
         {{"no_host_compiler", likely}}},
        {"No supported compiler was found. For options, visit https://www.mathworks",
         {{"no_host_compiler", likely}}},
        {"DLIB WILL NOT USE CUDA", {{"cuda_dropped", likely}}},
        {"GPU isn't used, since it was built without", {{"framework_cpu_only", possible}}},
        {"CUDA Runtime API initialization failed", {{"cudnn_failed", possible}, {"gpu_memory", possible}}},
        // Spark RAPIDS, RAPIDS
        {"Device architecture {built:number} is unsupported. Minimum supported architecture",
         {{"framework_lacks_gpu", certain}}},
    };
}

std::vector<Message> of_languages() {
    return {
        // Rust: cudarc, candle, libloading
        {"Unable to dynamically load the '{word:word}' shared library", {{"library_by_word", certain}}},
        {"Unable to dynamically load the '{word:word}' shared library - searched for library names: "
         "['{names:file}",
         {{"library_by_word", certain}}},
        {"Unable to find `{word:word}` lib under the names {names}", {{"library_by_word", certain}}},
        {"Unable to find `include/cuda.h` under any of", {{"no_toolkit", likely}}},
        {"`nvcc` failed: Os {{ code: 2", {{"no_toolkit", likely}, {"nvcc_off_path", likely}}},
        {"could not find native static library `{word:file}`", {{"library_absent_for_linker", likely}}},
        {"nvcc cannot target gpu arch {arch:arch}", {{"arch_unknown_to_nvcc", certain}}},
        {"Unsupported cuda toolkit version: '{found_cuda:version}'",
         {{"package_older_than_toolkit", certain}}},
        {"'nvidia-smi' failed. Ensure that you have CUDA installed", {{"no_driver", likely}}},
        {"Failed to execute 'nvcc'", {{"no_toolkit", likely}, {"nvcc_off_path", likely}}},
        {"LoadLibraryExW failed", {{"dll_missing", likely}}},
        // Julia
        {"could not load library '{library:path}'", {{"library_absent", likely}}},
        {"Could not find the CUDA driver library", {{"no_driver", certain}}},
        {"No CUDA driver found", {{"no_driver", certain}}},
        {"CUDA runtime library `{library:file}` was loaded from a system path, `{captured:path}`",
         {{"library_captured", likely}}},
        {"CUDA.jl did not find a functional CUDA driver", {{"no_driver", likely}}},
        {"CUDA.jl did not successfully initialize, and is not usable",
         {{"driver_unusable", possible}, {"no_toolkit", possible}}},
        {"You are using CUDA {found_cuda:version}, but CUDA.jl only supports CUDA {need:version} or higher",
         {{"toolkit_too_old", certain}}},
        {"(compute capability {arch:arch}) is not supported on CUDA", {{"framework_lacks_gpu", certain}}},
        {"(compute capability {arch:arch}) is deprecated on CUDA", Role::harmless},
        {"(compute capability {arch:arch}) is not supported by CUDA.jl", {{"framework_lacks_gpu", certain}}},
        {"(compute capability {arch:arch}) is not supported by CUDA toolkit",
         {{"framework_lacks_gpu", certain}}},
        {"(compute capability {arch:arch}) is not fully supported by CUDA",
         {{"framework_lacks_gpu", likely}}},
        {"UndefVarError: {symbol:name} not defined", {{"julia_packages", possible}}},
        {"UndefVarError: `{symbol:name}` not defined", {{"julia_packages", possible}}},
        {"ERROR: Unsatisfiable requirements detected for package {package:name}",
         {{"julia_packages", likely}}},
        {"Compute capability {arch:version} is not supported by ptxas", {{"arch_unknown_to_ptxas", certain}}},
        {"CUDA driver not found", {{"no_driver", certain}}},
        {"CUDA driver not functional", {{"driver_unusable", likely}}},
        {"CUDA.jl could not find an appropriate CUDA runtime to use",
         {{"no_toolkit", likely}, {"driver_too_old", likely}}},
        {"No CUDA Runtime library found", {{"no_toolkit", likely}, {"driver_too_old", possible}}},
        {"only supports NVIDIA drivers for CUDA {supported} (yours is for CUDA {driver_cuda:version})",
         {{"supported_drivers", certain}}},
        {"This version of CUDA.jl only supports NVIDIA drivers for CUDA {runtime:version} or higher",
         {{"driver_too_old", certain}}},
        {"This version of CUDA.jl requires an NVIDIA driver for CUDA {runtime:version} or higher",
         {{"driver_too_old", certain}}},
        {"(code {error:number}, ERROR_", {{"error_number", certain}}},
        // Java
        {"No matching cuda flavor for {system:word} found: {requirement:path}",
         {{"framework_build_missing", likely}}},
        {"no {word:word} in java.library.path", {{"library_by_java", likely}}},
        {"Error while loading native library '{word:word}'", {{"library_by_java", likely}}},
        // CUDA.jl before 4: "Could not find cublasLt (cublasLt64_11.dll or cublasLt_11.dll) in C:\..."
        {"Could not find {word:name} ({names} or {other_name:file}) in ", {{"library_by_word", likely}}},
        {"{library:CUDNN|CUTENSORNET|CUTENSOR|CUSTATEVEC|cuDNN|cuTENSOR} is not available on your system "
         "(looked in",
         {{"library_missing", likely}}},
        // torch for R
        {"The {found_cuda:version} installation type is currently unsupported",
         {{"framework_build_missing", certain}}},
        {"cannot open URL 'https://download.pytorch.org/libtorch/cu",
         {{"framework_build_missing", possible}}},
        {"cannot open URL 'https://download.pytorch.org/libtorch/*HTTP status was '404",
         {{"framework_build_missing", likely}}},
        {"cannot open URL 'https://storage.googleapis.com/torch-lantern-builds/*HTTP status was '404",
         {{"framework_build_missing", likely}}},
        {"cannot open URL 'https://torch-cdn.mlverse.org/*HTTP status was '404",
         {{"framework_build_missing", likely}}},
        {"lantern.dll - The specified procedure could not be found", {{"companions", likely}}},
        {"lantern.dll - The specified module could not be found", {{"dll_missing", likely}}},
        // Go: Ollama
        // Node
        {"tfjs_binding.node) can not be found", {{"library_missing", possible}, {"dll_missing", possible}}},
    };
}

// NVML, through its own names and pynvml's.
std::vector<Message> of_nvml() {
    return {
        {"NVML_ERROR_LIB_RM_VERSION_MISMATCH", {{"driver_mismatch", certain}}},
        {"NVML_ERROR_DRIVER_NOT_LOADED", {{"no_driver", certain}}},
        {"NVML_ERROR_LIBRARY_NOT_FOUND", {{"no_driver", certain}}},
        {"NVML_ERROR_NO_PERMISSION", {{"device_file_denied", likely}}},
        {"NVML_ERROR_OPERATING_SYSTEM", {{"gpu_access_blocked", certain}}},
        {"NVML_ERROR_GPU_IS_LOST", {{"hardware", certain}}},
        {"NVML_ERROR_UNKNOWN", {{"driver_unknown_error", likely}}},
        {"NVMLError_LibRmVersionMismatch", {{"driver_mismatch", certain}}},
        {"RM has detected an NVML/RM version mismatch", {{"driver_mismatch", certain}}},
        {"NVMLError_DriverNotLoaded", {{"no_driver", certain}}},
        {"NVMLError_LibraryNotFound", {{"no_driver", likely}}},
        {"NVML Shared Library Not Found", {{"no_driver", likely}}},
        {"NVMLError_NoPermission", {{"device_file_denied", likely}}},
        {"NVMLError_OperatingSystem", {{"gpu_access_blocked", certain}}},
        {"NVMLError_GpuIsLost", {{"hardware", certain}}},
        {"NVMLError_Unknown", {{"driver_unknown_error", likely}}},
    };
}

// nvc++, nvfortran and the run time of their programs; clang.
std::vector<Message> of_compilers_of_others() {
    return {
        {"A CUDA toolkit matching the current driver version (0) or a supported older version "
         "({need:version}) was not installed with this HPC SDK",
         {{"hpc_sdk_without_cuda", certain}, {"no_driver", likely}}},
        {"A CUDA toolkit matching the current driver version ({driver_cuda:version}) or a supported older "
         "version ({need:version}) was not installed with this HPC SDK",
         {{"hpc_sdk_without_cuda", certain}}},
        {"A CUDA toolkit matching the current driver version", {{"hpc_sdk_without_cuda", certain}}},
        {"CUDA version {need:version} is not available in this installation",
         {{"hpc_sdk_without_cuda", certain}}},
        {"Rebuild this file with -gpu={arch_hpc:word} to use", {{"no_code_for_gpu", certain}}},
        {"Rebuild this file with -ta=tesla:{arch_hpc:word} to use", {{"no_code_for_gpu", certain}}},
        {"Accelerator Fatal Error: No CUDA device code available", {{"no_code_for_gpu", certain}}},
        {"Accelerator Fatal Error: No CUDA device found", {{"no_gpu_visible", likely}}},
        {"Accelerator Fatal Error: Failing in Thread", Role::echo},
        {"bytes of device memory", {{"gpu_memory", possible}}},
        {"call to cu{function:name} returned error {error:number}", {{"error_number", certain}}},
        {"error: 'Unsupported CUDA version!'", {{"clang_older_than_toolkit", certain}}},
        {"#error 'Unsupported CUDA version!'", {{"clang_older_than_toolkit", certain}}},
        {"fatal error: 'texture_fetch_functions.h' file not found", {{"clang_older_than_toolkit", certain}}},
        {"is newer than the latest supported version {newest:version}", Role::harmless},
    };
}

}  // namespace

std::vector<Message> messages_of_languages() {
    std::vector<Message> all = of_frameworks();
    for (const auto& some : {of_languages(), of_nvml(), of_compilers_of_others()}) append(all, some);
    return all;
}

}  // namespace ptxguard
