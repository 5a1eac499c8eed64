// Messages of programs that use CUDA beside the frameworks: video, rendering, password recovery, trees,
// molecular dynamics, HPC libraries.
// SPDX-License-Identifier: Apache-2.0
#include "messages/message.hpp"
#include "model/ranges.hpp"

namespace ptxguard {
namespace {

// FFmpeg and other programs with NVENC and NVDEC: parts of the driver that containers must ask for.
std::vector<Message> of_video() {
    return {
        {"Cannot load lib{so:file}", {{"library_without_prefix", certain}}},
        {"Cannot load nvcuda.dll", {{"no_driver", certain}}},
        {"Cannot load nvcuvid.dll", {{"driver_part_missing", certain}}},
        {"Cannot load nvEncodeAPI64.dll", {{"driver_part_missing", certain}}},
        {"Driver does not support the required nvenc API version. Required: {nvenc_need:version} Found: "
         "{nvenc_here:version}",
         {{"driver_too_old_for_program", certain}}},
        {"Driver does not support the required nvenc API version", {{"driver_too_old_for_program", certain}}},
        {"The minimum required Nvidia driver for nvenc is {need_driver:version} or newer",
         {{"driver_too_old_for_program", certain}}},
        {"Minimum required Nvidia driver is {need_driver:version} or newer",
         {{"driver_too_old_for_program", certain}}},
        {"Unknown encoder 'h264_nvenc'", {{"program_without_cuda", certain}}},
        {"Unknown encoder 'hevc_nvenc'", {{"program_without_cuda", certain}}},
        {"Unknown encoder 'av1_nvenc'", {{"program_without_cuda", certain}}},
        {"Unknown decoder 'h264_cuvid'", {{"program_without_cuda", certain}}},
        {"Unknown decoder 'hevc_cuvid'", {{"program_without_cuda", certain}}},
        {"failed checking for nvcc", {{"compiler_test", possible}, {"nvcc_off_path", possible}}},
        {"Unrecognized hwaccel: cuda", {{"program_without_cuda", certain}}},
        {"Could not dynamically load CUDA", {{"no_driver", likely}}},
        {"OpenEncodeSessionEx failed: out of memory", {{"encoder_sessions", likely}}},
        {"OpenEncodeSessionEx failed: incompatible client key", {{"encoder_sessions", likely}}},
        {"OpenEncodeSessionEx failed: unsupported device", {{"gpu_too_old_for_program", likely}}},
        {"cuda requested, but not all dependencies are satisfied: ffnvcodec", {{"missing_header", certain}}},
        {"NVIDIA driver does not support this NVENC version", {{"driver_too_old_for_program", likely}}},
        {"No NVENC capable devices found", {{"no_gpu_visible", possible}}},
    };
}

std::vector<Message> of_learning() {
    return {
        // OpenCV, whose wheels on PyPI have no CUDA
        {"DNN module was not built with CUDA backend", {{"program_without_cuda", certain}}},
        {"preferableBackend != DNN_BACKEND_CUDA", {{"program_without_cuda", certain}}},
        {"module 'cv2' has no attribute 'cuda'", {{"program_without_cuda", likely}}},
        {"module 'cv2.cuda' has no attribute", {{"program_without_cuda", likely}}},
        // XGBoost, LightGBM, CatBoost, Faiss
        {"XGBoost version not compiled with GPU support", {{"program_without_cuda", certain}}},
        {"GPU Tree Learner was not enabled in this build", {{"program_without_cuda", certain}}},
        {"CUDA Tree Learner was not enabled in this build", {{"program_without_cuda", certain}}},
        {"Environment for task type [GPU] not found", {{"program_without_cuda", likely}}},
        {"module 'faiss' has no attribute 'StandardGpuResources'", {{"program_without_cuda", certain}}},
        {"module 'faiss' has no attribute 'index_cpu_to_", {{"program_without_cuda", certain}}},
        {"GPU support is not enabled in this build", {{"program_without_cuda", likely}}},
        // pycuda
        {"cuInit failed: unknown error", {{"driver_unknown_error", likely}}},
        {"error invoking 'nvcc --version'", {{"no_toolkit", likely}, {"nvcc_off_path", likely}}},
        // Gaussian splatting, NeRF
        {"Failed to load CUDA extension", {{"extension_absent", likely}}},
        {"requires cuda extensions", {{"extension_absent", likely}}},
        {"requires Apex with cuda extensions", {{"extension_absent", likely}}},
        {"install apex with cuda extension", {{"extension_absent", likely}}},
        {"because apex was installed without --cuda_ext", {{"extension_absent", certain}}},
        {"'NoneType' object has no attribute 'rasterize_", {{"extension_absent", likely}}},
    };
}

std::vector<Message> of_science() {
    return {
        {"GPUs are requested but Kokkos has not been compiled", {{"program_without_cuda", certain}}},
        {"but no GPUs are requested", {{"command_refused", likely}}},
        {"CUDA enabled but no NVIDIA GPU architecture currently enabled", {{"native_without_gpu", certain}}},
        {"GPU library not compiled for this accelerator", {{"no_code_for_gpu", certain}}},
        {"Could not find/initialize a specified accelerator device", {{"no_gpu_visible", likely}}},
        {"Insufficient memory on accelerator", {{"gpu_memory", certain}}},
        {"Kokkos::Cuda::initialize ERROR: running kernels compiled for compute capability",
         {{"no_code_for_gpu", likely}}},
        // Blender, by the names of cuew
        {"(Unsupported PTX version)", {{"ptx_newer_than_driver", certain}}},
        {"(No binary for GPU)", {{"no_code_for_gpu", certain}}},
        {"(Invalid kernel image)", {{"kernel_image_invalid", likely}}},
        {"(JIT compiler not found)", {{"jit_library_missing", certain}}},
        {"(No CUDA-capable device available)", {{"no_gpu_visible", likely}}},
        {"CUDA nvcc compiler not found", {{"no_toolkit", likely}, {"nvcc_off_path", likely}}},
        {"CUDA binary kernel for this graphics card compute capability ({arch:version}) not found",
         {{"no_code_for_gpu", certain}}},
        {"CUDA backend requires compute capability {need:version} or up, but found {arch:version}",
         {{"gpu_too_old_for_program", certain}}},
        {"Unsupported CUDA version {found_cuda:version}, you need CUDA {need:version} or newer",
         {{"toolkit_too_old", certain}}},
        {"Unsupported CUDA version {found_cuda:version} detected, you need CUDA {need:version}",
         {{"toolkit_too_old", certain}}},
        {"build may succeed but only CUDA", Role::harmless},
        {"Failed to execute compilation command", Role::echo},
        {"CUDA kernel compilation failed, see console", Role::echo},
        {"There is no registered Platform called 'CUDA'", {{"program_without_cuda", likely}}},
        {"Kokkos::Cuda::initialize ERROR: likely mismatch of architecture", {{"no_code_for_gpu", certain}}},
        {"running kernels compiled for compute capability {built:version} on device with compute capability",
         {{"no_code_for_gpu", possible}}},
        // EESSI, EasyBuild
        {"Your driver CUDA version is {driver_api_cuda:version} but the module you want to load requires "
         "CUDA {runtime:version}",
         {{"driver_too_old", likely}}},
        {"The installed CUDA driver {driver:version} is {:to|too} old for", {{"driver_too_old", certain}}},
        {"The installed CUDA driver {driver:version} is not a supported branch",
         {{"driver_too_old", likely}}},
        {"CUDA version '{need:version}' in 'nvidia-compilers' not supported by",
         {{"hpc_sdk_without_cuda", certain}}},
        {"CUDA SDK Toolkit not installed or incorrectly installed", {{"no_toolkit", likely}}},
        {"CUDA SDK Toolkit required for proper device support", {{"no_toolkit", likely}}},
        {"/dev/nvhost-ctrl-gpu: Permission denied", {{"device_file_denied", certain}}},
        {"open /dev/nvhost-{file:name}: Permission denied", {{"device_file_denied", certain}}},
        {"The CUDA toolkit is not installed", {{"no_toolkit", likely}}},
    };
}

}  // namespace

std::vector<Message> messages_of_applications() {
    std::vector<Message> all = of_video();
    for (const auto& some : {of_learning(), of_science()}) append(all, some);
    return all;
}

}  // namespace ptxguard
