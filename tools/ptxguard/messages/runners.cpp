// Messages of programs that run models without a framework: llama.cpp, Ollama, whisper.cpp, CTranslate2.
// SPDX-License-Identifier: Apache-2.0
#include "messages/message.hpp"
#include "model/ranges.hpp"

namespace ptxguard {
namespace {

std::vector<Message> of_ggml() {
    return {
        {"ggml_cuda_init: failed to initialize CUDA: {text}", Role::fact},
        {"ggml_cuda_init: failed to initialize CUDA: unknown error", {{"driver_unknown_error", likely}}},
        {"ggml_cuda_init: failed to initialize CUDA", {{"driver_unusable", possible}}},
        {"ggml was not compiled with any CUDA arch <= {arch_ggml:number}", {{"ggml_archs", certain}}},
        {"ggml was not compiled with support for this arch", {{"ggml_archs", certain}}},
        {"has no device code compatible with CUDA arch {arch_ggml:number}. {source:file} was compiled for: "
         "{archs_ggml}",
         {{"ggml_archs", certain}}},
        {"no device code compatible with CUDA arch {arch_ggml:number}", {{"ggml_archs", certain}}},
        {"Your setup doesn't support bf16/gpu", {{"number_format", likely}, {"sees_no_gpu", possible}}},
        {"--tf32 requires Ampere or a newer GPU arch",
         {{"number_format", likely}, {"sees_no_gpu", possible}}},
        {"warning: no usable GPU found", {{"sees_no_gpu", possible}}},
        {"compiled without GPU support", {{"framework_cpu_only", possible}}},
        {"GROMACS was compiled without GPU support", {{"program_without_cuda", likely}}},
        {"not built with GPU support", {{"program_without_cuda", likely}}},
        {"not built with CUDA", {{"program_without_cuda", possible}}},
        {"built without CUDA support", {{"program_without_cuda", possible}}},
        {"not compiled with GPU offload support", {{"program_without_cuda", certain}}},
        {"llama.cpp was compiled without cuBLAS", {{"program_without_cuda", certain}}},
        {"compiled without CUDA support", {{"program_without_cuda", likely}}},
        {"CUDA backend is enabled but no devices", {{"no_gpu_visible", likely}}},
    };
}

std::vector<Message> of_ollama() {
    return {
        {"symbol lookup for cu{entry_rest:name} failed", {{"driver_function_absent", certain}}},
        {"unable to load cuda driver library", {{"no_driver", likely}}},
        {"cuda driver library failed to get device context {error:number}", {{"error_number", likely}}},
        {"cuda driver library init failure: {error:number}", {{"error_number_of_start", certain}}},
        {"cudart init failure: {error:number}", {{"error_number_of_start", certain}}},
        {"nvcuda init failure: {error:number}", {{"error_number_of_start", certain}}},
        {"cuInit err: {error:number}", {{"error_number_of_start", certain}}},
        {"nvml vram init failure: {nvml:number}", {{"nvml_number", certain}}},
        {"nvml init failure: {nvml:number}", {{"nvml_number", certain}}},
        {"nvmlInit failed: {nvml:number}", {{"nvml_number", certain}}},
        {"error looking up nvidia GPU memory", {{"driver_unusable", possible}}},
        {"CUDA GPU is too old. Falling back to CPU mode. Compute Capability detected: {cc:version}",
         {{"no_code_for_gpu", certain}}},
        {"CUDA GPU is too old. Compute Capability detected: {arch:arch}", {{"no_code_for_gpu", certain}}},
        {"CUDA GPU is too old", {{"no_code_for_gpu", likely}}},
        {"skipping CUDA device — compute capability not in compiled architectures",
         {{"no_code_for_gpu", certain}}},
        {"your nvidia driver is too old or missing", {{"driver_too_old", likely}, {"no_driver", likely}}},
        {"NVIDIA driver too old", {{"driver_too_old", certain}}},
        {"unable to locate gpu dependency libraries", {{"library_missing", possible}}},
        {"no compatible GPUs were discovered", {{"no_gpu_visible", possible}}},
        {"No NVIDIA/AMD GPU detected. Ollama will run in CPU-only mode", {{"no_driver", possible}}},
        {"Unable to detect NVIDIA/AMD GPU. Install lspci or lshw", {{"missing_tool", likely}}},
        {"llama runner process has terminated: signal: killed", {{"host_memory", likely}}},
        {"model requires more system memory", {{"host_memory", certain}}},
    };
}

std::vector<Message> of_ctranslate() {
    return {
        {"This CTranslate2 package was not compiled with CUDA support", {{"program_without_cuda", certain}}},
        {"CUDA failed with error out of memory", {{"gpu_memory", certain}}},
        {"compute type, but the target device or backend do not support efficient",
         {{"number_format", certain}}},
        {"The library is compiled without CUDA support", {{"program_without_cuda", certain}}},
        {"was not compiled with CUDA support", {{"program_without_cuda", likely}}},
        {"not compiled with CUDA", {{"program_without_cuda", possible}}},
        {"OpenCV was built to work with NVIDIA Compute Capability", {{"no_code_for_gpu", possible}}},
    };
}

}  // namespace

std::vector<Message> messages_of_runners() {
    std::vector<Message> all = of_ggml();
    for (const auto& some : {of_ollama(), of_ctranslate()}) append(all, some);
    return all;
}

}  // namespace ptxguard
