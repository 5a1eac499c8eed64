// Messages of packages that extend PyTorch (bitsandbytes, flash-attn, xFormers, DeepSpeed, Apex, OpenMMLab)
// and of what serves models with it (vLLM, SGLang, FlashInfer).
// SPDX-License-Identifier: Apache-2.0
#include "messages/message.hpp"
#include "model/ranges.hpp"

namespace ptxguard {
namespace {

std::vector<Message> of_bitsandbytes() {
    return {
        {"CUDA Setup failed despite GPU being available", {{"library_missing", likely}}},
        {"CUDA SETUP: ERROR! CUDA runtime libraries not found", {{"library_missing", likely}}},
        {"The installed version of bitsandbytes was compiled without GPU support",
         {{"framework_cpu_only", likely}}},
        {"CUDA SETUP: Required library version not found: {library:file}", {{"library_missing", likely}}},
        {"Possible options found for libcudart.so: set()", {{"library_missing", likely}}},
        {"Could not find the bitsandbytes CUDA binary at", {{"library_missing", likely}}},
        {"Configured CUDA binary not found at", {{"library_missing", likely}}},
        {"No compatible CUDA binary found at {path:path}", {{"library_missing", likely}}},
        {"The main issue seems to be that the main CUDA library was not detected",
         {{"library_missing", likely}}},
        {"libcuda.so not found! Do you have a CUDA driver installed",
         {{"no_driver", likely}, {"library_missing", likely}}},
        {"libcudart.so not found in any environmental path", {{"library_missing", likely}}},
        {"CUDA SETUP: CUDA detection failed!", {{"library_missing", likely}}},
        {"CUDA SETUP ERROR: Missing dependency: {library:file}", {{"library_missing", certain}}},
        {"CUDA SETUP ERROR: CUDA binary not found", {{"library_missing", likely}}},
        {"CUDA is required but not available for bitsandbytes", {{"sees_no_gpu", likely}}},
        {"No GPU found. A GPU is needed for quantization", {{"sees_no_gpu", likely}}},
        {"name 'str2optimizer{bits:name}' is not defined", {{"framework_cpu_only", likely}}},
        {"object has no attribute 'cadam32bit_grad_fp32'", {{"framework_cpu_only", likely}}},
        {"'NoneType' object has no attribute 'cget_", {{"framework_cpu_only", likely}}},
        {"cuBLAS API failed with status {status:number}", {{"cublas_failed", possible}}},
        {"CUDA extension not installed", {{"cuda_dropped", likely}}},  // AutoGPTQ
    };
}

std::vector<Message> of_attention() {
    return {
        // flash-attn
        {"FlashAttention only supports Ampere GPUs or newer", {{"gpu_too_old_for_program", certain}}},
        {"FlashAttention only supports Hopper GPUs or newer", {{"gpu_too_old_for_program", certain}}},
        {"FlashAttention-3 only supports", {{"gpu_too_old_for_program", likely}}},
        {"FlashAttention is only supported on CUDA {need:version} and above", {{"toolkit_too_old", certain}}},
        {"Note: make sure nvcc has a supported version by running nvcc -V", Role::echo},
        {"is only supported on CUDA {need:version} and above", {{"toolkit_too_old", likely}}},
        {"nvcc was not found. Are you sure your environment has nvcc available",
         {{"no_toolkit", likely}, {"nvcc_off_path", possible}}},
        {"_flash_attn_forward() missing", {{"companions", likely}}},
        {"flash_attn seems to be not installed", {{"missing_module", likely}}},
        // xFormers
        {"PyTorch {built_for:word} with CUDA {built_cuda:number} (you have {torch_here:word})",
         {{"built_for_torch", certain}}},
        {"xFormers can't load C++/CUDA extensions", {{"companions", likely}}},
        {"Need to compile C++ extensions to use all xFormers features", {{"companions", possible}}},
        {"xFormers wasn't build with CUDA support", {{"companions", likely}}},
        {"requires device with capability > {capability}but your GPU has capability",
         {{"gpu_too_old_for_program", possible}}},
        {"No operator found for `memory_efficient_attention", Role::echo},
        // FlashInfer, SageAttention, DeepGEMM
        {"does not match flashinfer version", {{"companions", certain}}},
        {"flashinfer_python is installed with version {found:word} which is less than",
         {{"companions", likely}}},
        {"FlashInfer requires GPUs with sm75 or higher",
         {{"framework_lacks_gpu", likely}, {"run_time_nvcc_unfit", likely}}},
        {"FlashInfer requires sm75+", {{"list_lacks_gpu", likely}}},
        {"SM {arch:word} requires CUDA >= {need:version}", {{"run_time_nvcc_unfit", certain}}},
        {"NVCC version must be at least {need:version}", {{"run_time_nvcc_unfit", certain}}},
        {"NVCC version should be >= {need:version}", {{"run_time_nvcc_unfit", certain}}},
        {"No supported CUDA architectures found for major versions", {{"run_time_nvcc_unfit", certain}}},
        {"No target compute capabilities. Please set TORCH_CUDA_ARCH_LIST", {{"no_gpu_visible", likely}}},
        {"Unsupported CUDA version for SageAttention", {{"toolkit_too_old", likely}}},
        {"CUDA {need:version} or higher is required for compute capability {arch:version}",
         {{"toolkit_too_old", certain}}},
    };
}

std::vector<Message> of_builders() {
    return {
        {"Cuda extensions are being compiled with a version of Cuda that does not match the version used to "
         "compile Pytorch binaries. Pytorch binaries were compiled with Cuda {built:version}",
         {{"toolkit_versions", certain}}},
        {"Cuda extensions are being compiled with a version of Cuda that does not match",
         {{"toolkit_versions", certain}}},
        {"Installed CUDA version {toolkit:version} does not match the version torch was compiled with "
         "{built:version}",
         {{"toolkit_versions", certain}}},
        {"CUDA_HOME does not exist, unable to compile CUDA op", {{"no_toolkit", likely}}},
        {"MissingCUDAException", {{"no_toolkit", likely}}},
        {"DeepSpeed ops were compiled and installed with a different version than what is being used at "
         "runtime",
         {{"companions", likely}}},
        {"Unable to run {path:path}, unable to compile CUDA op", {{"no_toolkit", likely}}},
        {"Could not find CUDA installation. Please set CUDA_HOME", {{"no_toolkit", likely}}},
        {"and default cuda_home='{path:path}' doesn't exist", {{"no_toolkit", likely}}},
        {"Transformer Engine package version mismatch", {{"companions", certain}}},
        {"TransformerEngine package version mismatch", {{"companions", certain}}},
        {"name '_C' is not defined", {{"cuda_dropped", likely}}},
        {"Failed to load custom C++ ops. Running on CPU mode Only", {{"cuda_dropped", likely}}},
        {"Not compiled with GPU support", {{"cuda_dropped", likely}, {"framework_cpu_only", likely}}},
        {"Cannot find a working triton installation", {{"companions", possible}}},
        {"Unable to find a triton", {{"companions", possible}}},
        // OpenMMLab, and what tests its companions by their releases
        {"{package:name}=={found:word} is used but incompatible", {{"companions", certain}}},
        {"is used but incompatible. Please install", {{"companions", certain}}},
    };
}

// Packages that compile kernels when they are installed, and say at run time what they were compiled for.
std::vector<Message> of_kernels() {
    return {
        {"Could not find compatible tinycudann extension for compute capability {arch:word}",
         {{"no_code_for_gpu", certain}}},
        {"Unknown compute capability. Specify the target compute capabilities in the TCNN_CUDA_ARCHITECTURES",
         {{"native_without_gpu", likely}, {"framework_cpu_only", possible}}},
        {"Unknown compute capability. Ensure PyTorch with CUDA support is installed",
         {{"framework_cpu_only", likely}, {"no_gpu_visible", likely}}},
        {"tiny-cuda-nn dependencies are missing", {{"sources_absent", likely}}},
        {"was compiled with CPU_ONLY flag", {{"extension_absent", certain}}},
        {"is installed without CUDA support", {{"framework_cpu_only", likely}}, k_statement},
        {"can not be built for compute capabilities {arch:word}", {{"gpu_too_old_for_program", likely}}},
        {"The environment variable CUDA_PATH must be set to the path to the CUDA install",
         {{"no_toolkit", likely}, {"variable_names_no_toolkit", possible}}},
        {"Building PyTorch CUDA extension requires PyTorch being installed", {{"build_isolation", certain}}},
        {"not available in CPU-only version of bitsandbytes", {{"framework_cpu_only", likely}}},
        {"was compiled without support for the current GPU architecture", {{"no_code_for_gpu", certain}}},
        {"clang as CUDA compiler requires at least clang", {{"clang_older_than_toolkit", certain}}},
        {"No matching {package:name} plugin found for installed {framework:name} version",
         {{"companions", likely}}},
        {"Could not find CUDA driver entry point for {entry:word}", {{"driver_too_old", likely}}},
        {"Failed to get driver entry point '{entry:name}'", {{"driver_too_old", likely}}},
        {"Function {entry:name}: a suitable driver entry point was not found", {{"driver_too_old", likely}}},
        {"Failed to get function {entry:name}", {{"driver_entry_absent", likely}}},  // Warp
        {"Driver missing function: {entry:name}", {{"driver_too_old", likely}}},
        {"NVIDIA CUDA Python bindings not found", {{"missing_module", likely}}},
        {"requires nvjitlink, which is not available", {{"library_missing", likely}}},
        {"Error initializing CUDA runtime. Check your CUDA device is visible to the OS",
         {{"no_driver", likely}, {"driver_too_old", likely}}},
        {"without CUDA or OpenGL support", {{"program_without_cuda", likely}}, k_statement},
    };
}

std::vector<Message> of_servers() {
    return {
        {"Failed to infer device type", {{"sees_no_gpu", likely}}},
        {"Device string must not be empty", {{"sees_no_gpu", likely}}},
        {"vLLM is running on UnspecifiedPlatform", {{"sees_no_gpu", likely}}},
        {"Failed to import from vllm._C with", Role::echo},
        {"'_OpNamespace' '{module:name}' object has no attribute '{symbol:name}'",
         {{"operators_absent", likely}}},
        {"Could not load any common_ops library", {{"operators_absent", likely}}},
        {"Triton not installed or not compatible; certain GPU-related functions", Role::harmless},
        {"GPUs with compute capability below {need:version} are not supported",
         {{"gpu_too_old_for_program", certain}}},
        {"Bfloat16 is only supported on GPUs with compute capability of at least 8.0",
         {{"number_format", certain}}},
        {"The quantization method {method:word} is not supported for the current GPU",
         {{"gpu_too_old_for_program", certain}}},
        {"Minimum capability: {need:number}. Current capability: {here:number}",
         {{"gpu_too_old_for_program", certain}}},
        {"is larger than the maximum number of tokens that can be stored in KV cache",
         {{"gpu_memory", certain}}},
        {"to serve at least one request with the models's max seq len", {{"gpu_memory", certain}}},
        {"must be divisible by tensor parallel size", {{"api_misuse", certain}}},
        {"is greater than the total available GPUs", {{"gpu_number_absent", certain}}},
        {"No available memory for the cache blocks", {{"gpu_memory", certain}}},
        {"is less than desired GPU memory utilization", {{"gpu_memory", certain}}},
        {"Not enough memory. Please try to increase --mem-fraction-static", {{"gpu_memory", certain}}},
    };
}

}  // namespace

std::vector<Message> messages_of_extensions() {
    std::vector<Message> all = of_bitsandbytes();
    for (const auto& some : {of_attention(), of_builders(), of_kernels(), of_servers()}) append(all, some);
    return all;
}

}  // namespace ptxguard
