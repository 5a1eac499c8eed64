// Messages of programs that run models without a framework: llama.cpp, Ollama, whisper.cpp, CTranslate2.
// SPDX-License-Identifier: Apache-2.0
#include "messages/message.hpp"
#include "model/ranges.hpp"

namespace ptxguard {
namespace {

std::vector<Message> of_ggml() {
    return {
        {"ggml_cuda_init: failed to initialize CUDA: {text}", Role::fact},
        {"ggml_cuda_init: failed to initialize CUDA: unknown error",
         fault,
         {{"driver_unknown_error", likely}}},
        {"ggml_cuda_init: failed to initialize CUDA", fault, {{"driver_unusable", possible}}},
        {"ggml was not compiled with any CUDA arch <= {arch_ggml:number}", fault, {{"ggml_archs", certain}}},
        {"ggml was not compiled with support for this arch", fault, {{"ggml_archs", certain}}},
        {"has no device code compatible with CUDA arch {arch_ggml:number}. {source:file} was compiled for: "
         "{archs_ggml}",
         fault,
         {{"ggml_archs", certain}}},
        {"no device code compatible with CUDA arch {arch_ggml:number}", fault, {{"ggml_archs", certain}}},
        {"Your setup doesn't support bf16/gpu",
         fault,
         {{"number_format", likely}, {"sees_no_gpu", possible}}},
        {"--tf32 requires Ampere or a newer GPU arch",
         fault,
         {{"number_format", likely}, {"sees_no_gpu", possible}}},
        {"warning: no usable GPU found", fault, {{"sees_no_gpu", possible}}},
        {"compiled without GPU support", fault, {{"framework_cpu_only", possible}}},
        {"GROMACS was compiled without GPU support", fault, {{"program_without_cuda", likely}}},
        {"not built with GPU support", fault, {{"program_without_cuda", likely}}},
        {"not built with CUDA", fault, {{"program_without_cuda", possible}}},
        {"built without CUDA support", fault, {{"program_without_cuda", possible}}},
        {"not compiled with GPU offload support", fault, {{"program_without_cuda", certain}}},
        {"llama.cpp was compiled without cuBLAS", fault, {{"program_without_cuda", certain}}},
        {"compiled without CUDA support", fault, {{"program_without_cuda", likely}}},
        {"CUDA backend is enabled but no devices", fault, {{"no_gpu_visible", likely}}},
    };
}

std::vector<Message> of_ollama() {
    return {
        {"symbol lookup for cu{entry_rest:name} failed", fault, {{"driver_function_absent", certain}}},
        {"unable to load cuda driver library", fault, {{"no_driver", likely}}},
        {"cuda driver library failed to get device context {error:number}",
         fault,
         {{"error_number", likely}}},
        {"cuda driver library init failure: {error:number}", fault, {{"error_number_of_start", certain}}},
        {"cudart init failure: {error:number}", fault, {{"error_number_of_start", certain}}},
        {"nvcuda init failure: {error:number}", fault, {{"error_number_of_start", certain}}},
        {"cuInit err: {error:number}", fault, {{"error_number_of_start", certain}}},
        {"nvml vram init failure: {nvml:number}", fault, {{"nvml_number", certain}}},
        {"nvml init failure: {nvml:number}", fault, {{"nvml_number", certain}}},
        {"nvmlInit failed: {nvml:number}", fault, {{"nvml_number", certain}}},
        {"error looking up nvidia GPU memory", fault, {{"driver_unusable", possible}}},
        {"CUDA GPU is too old. Falling back to CPU mode. Compute Capability detected: {cc:version}",
         fault,
         {{"no_code_for_gpu", certain}}},
        {"CUDA GPU is too old. Compute Capability detected: {arch:arch}",
         fault,
         {{"no_code_for_gpu", certain}}},
        {"CUDA GPU is too old", fault, {{"no_code_for_gpu", likely}}},
        {"skipping CUDA device — compute capability not in compiled architectures",
         fault,
         {{"no_code_for_gpu", certain}}},
        {"your nvidia driver is too old or missing",
         fault,
         {{"driver_too_old", likely}, {"no_driver", likely}}},
        {"NVIDIA driver too old", fault, {{"driver_too_old", certain}}},
        {"unable to locate gpu dependency libraries", fault, {{"library_missing", possible}}},
        {"no compatible GPUs were discovered", fault, {{"no_gpu_visible", possible}}},
        {"No NVIDIA/AMD GPU detected. Ollama will run in CPU-only mode", fault, {{"no_driver", possible}}},
        {"Unable to detect NVIDIA/AMD GPU. Install lspci or lshw", fault, {{"missing_tool", likely}}},
        {"llama runner process has terminated: signal: killed", fault, {{"host_memory", likely}}},
        {"model requires more system memory", fault, {{"host_memory", certain}}},
    };
}

std::vector<Message> of_ctranslate() {
    return {
        {"This CTranslate2 package was not compiled with CUDA support",
         fault,
         {{"program_without_cuda", certain}}},
        {"CUDA failed with error out of memory", fault, {{"gpu_memory", certain}}},
        {"compute type, but the target device or backend do not support efficient",
         fault,
         {{"number_format", certain}}},
        {"The library is compiled without CUDA support", fault, {{"program_without_cuda", certain}}},
        {"was not compiled with CUDA support", fault, {{"program_without_cuda", likely}}},
        {"not compiled with CUDA", fault, {{"program_without_cuda", possible}}},
        {"OpenCV was built to work with NVIDIA Compute Capability", fault, {{"no_code_for_gpu", possible}}},
    };
}

}  // namespace

std::vector<Message> messages_of_runners() {
    std::vector<Message> all = of_ggml();
    for (const auto& some : {of_ollama(), of_ctranslate()}) append(all, some);
    return all;
}

}  // namespace ptxguard
