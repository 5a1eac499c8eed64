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
        {"Cannot load lib{so:file}", fault, {{"library_without_prefix", certain}}},
        {"Cannot load nvcuda.dll", fault, {{"no_driver", certain}}},
        {"Cannot load nvcuvid.dll", fault, {{"driver_part_missing", certain}}},
        {"Cannot load nvEncodeAPI64.dll", fault, {{"driver_part_missing", certain}}},
        {"Driver does not support the required nvenc API version. Required: {nvenc_need:version} Found: "
         "{nvenc_here:version}",
         fault,
         {{"driver_too_old_for_program", certain}}},
        {"Driver does not support the required nvenc API version",
         fault,
         {{"driver_too_old_for_program", certain}}},
        {"The minimum required Nvidia driver for nvenc is {need_driver:version} or newer",
         fault,
         {{"driver_too_old_for_program", certain}}},
        {"Minimum required Nvidia driver is {need_driver:version} or newer",
         fault,
         {{"driver_too_old_for_program", certain}}},
        {"Unknown encoder 'h264_nvenc'", fault, {{"program_without_cuda", certain}}},
        {"Unknown encoder 'hevc_nvenc'", fault, {{"program_without_cuda", certain}}},
        {"Unknown encoder 'av1_nvenc'", fault, {{"program_without_cuda", certain}}},
        {"Unknown decoder 'h264_cuvid'", fault, {{"program_without_cuda", certain}}},
        {"Unknown decoder 'hevc_cuvid'", fault, {{"program_without_cuda", certain}}},
        {"failed checking for nvcc", fault, {{"compiler_test", possible}, {"nvcc_off_path", possible}}},
        {"Unrecognized hwaccel: cuda", fault, {{"program_without_cuda", certain}}},
        {"Could not dynamically load CUDA", fault, {{"no_driver", likely}}},
        {"OpenEncodeSessionEx failed: out of memory", fault, {{"encoder_sessions", likely}}},
        {"OpenEncodeSessionEx failed: incompatible client key", fault, {{"encoder_sessions", likely}}},
        {"OpenEncodeSessionEx failed: unsupported device", fault, {{"gpu_too_old_for_program", likely}}},
        {"cuda requested, but not all dependencies are satisfied: ffnvcodec",
         fault,
         {{"missing_header", certain}}},
        {"NVIDIA driver does not support this NVENC version",
         fault,
         {{"driver_too_old_for_program", likely}}},
        {"No NVENC capable devices found", fault, {{"no_gpu_visible", possible}}},
    };
}

std::vector<Message> of_learning() {
    return {
        // OpenCV, whose wheels on PyPI have no CUDA
        {"DNN module was not built with CUDA backend", fault, {{"program_without_cuda", certain}}},
        {"preferableBackend != DNN_BACKEND_CUDA", fault, {{"program_without_cuda", certain}}},
        {"module 'cv2' has no attribute 'cuda'", fault, {{"program_without_cuda", likely}}},
        {"module 'cv2.cuda' has no attribute", fault, {{"program_without_cuda", likely}}},
        // XGBoost, LightGBM, CatBoost, Faiss
        {"XGBoost version not compiled with GPU support", fault, {{"program_without_cuda", certain}}},
        {"GPU Tree Learner was not enabled in this build", fault, {{"program_without_cuda", certain}}},
        {"CUDA Tree Learner was not enabled in this build", fault, {{"program_without_cuda", certain}}},
        {"Environment for task type [GPU] not found", fault, {{"program_without_cuda", likely}}},
        {"module 'faiss' has no attribute 'StandardGpuResources'",
         fault,
         {{"program_without_cuda", certain}}},
        {"module 'faiss' has no attribute 'index_cpu_to_", fault, {{"program_without_cuda", certain}}},
        {"GPU support is not enabled in this build", fault, {{"program_without_cuda", likely}}},
        // pycuda
        {"cuInit failed: unknown error", fault, {{"driver_unknown_error", likely}}},
        {"error invoking 'nvcc --version'", fault, {{"no_toolkit", likely}, {"nvcc_off_path", likely}}},
        // Gaussian splatting, NeRF
        {"Failed to load CUDA extension", fault, {{"extension_absent", likely}}},
        {"requires cuda extensions", fault, {{"extension_absent", likely}}},
        {"requires Apex with cuda extensions", fault, {{"extension_absent", likely}}},
        {"install apex with cuda extension", fault, {{"extension_absent", likely}}},
        {"because apex was installed without --cuda_ext", fault, {{"extension_absent", certain}}},
        {"'NoneType' object has no attribute 'rasterize_", fault, {{"extension_absent", likely}}},
    };
}

std::vector<Message> of_science() {
    return {
        {"GPUs are requested but Kokkos has not been compiled", fault, {{"program_without_cuda", certain}}},
        {"but no GPUs are requested", fault, {{"command_refused", likely}}},
        {"CUDA enabled but no NVIDIA GPU architecture currently enabled",
         fault,
         {{"native_without_gpu", certain}}},
        {"GPU library not compiled for this accelerator", fault, {{"no_code_for_gpu", certain}}},
        {"Could not find/initialize a specified accelerator device", fault, {{"no_gpu_visible", likely}}},
        {"Insufficient memory on accelerator", fault, {{"gpu_memory", certain}}},
        {"Kokkos::Cuda::initialize ERROR: running kernels compiled for compute capability",
         fault,
         {{"no_code_for_gpu", likely}}},
        // Blender, by the names of cuew
        {"(Unsupported PTX version)", fault, {{"ptx_newer_than_driver", certain}}},
        {"(No binary for GPU)", fault, {{"no_code_for_gpu", certain}}},
        {"(Invalid kernel image)", fault, {{"kernel_image_invalid", likely}}},
        {"(JIT compiler not found)", fault, {{"jit_library_missing", certain}}},
        {"(No CUDA-capable device available)", fault, {{"no_gpu_visible", likely}}},
        {"CUDA nvcc compiler not found", fault, {{"no_toolkit", likely}, {"nvcc_off_path", likely}}},
        {"CUDA binary kernel for this graphics card compute capability ({arch:version}) not found",
         fault,
         {{"no_code_for_gpu", certain}}},
        {"CUDA backend requires compute capability {need:version} or up, but found {arch:version}",
         fault,
         {{"gpu_too_old_for_program", certain}}},
        {"Unsupported CUDA version {found_cuda:version}, you need CUDA {need:version} or newer",
         fault,
         {{"toolkit_too_old", certain}}},
        {"Unsupported CUDA version {found_cuda:version} detected, you need CUDA {need:version}",
         fault,
         {{"toolkit_too_old", certain}}},
        {"build may succeed but only CUDA", Role::harmless},
        {"Failed to execute compilation command", Role::echo},
        {"CUDA kernel compilation failed, see console", Role::echo},
        {"There is no registered Platform called 'CUDA'", fault, {{"program_without_cuda", likely}}},
        {"Kokkos::Cuda::initialize ERROR: likely mismatch of architecture",
         fault,
         {{"no_code_for_gpu", certain}}},
        {"running kernels compiled for compute capability {built:version} on device with compute capability",
         fault,
         {{"no_code_for_gpu", possible}}},
        // EESSI, EasyBuild
        {"Your driver CUDA version is {driver_api_cuda:version} but the module you want to load requires "
         "CUDA "
         "{runtime:version}",
         fault,
         {{"driver_too_old", likely}}},
        {"The installed CUDA driver {driver:version} is {:to|too} old for",
         fault,
         {{"driver_too_old", certain}}},
        {"The installed CUDA driver {driver:version} is not a supported branch",
         fault,
         {{"driver_too_old", likely}}},
        {"CUDA version '{need:version}' in 'nvidia-compilers' not supported by",
         fault,
         {{"hpc_sdk_without_cuda", certain}}},
        {"CUDA SDK Toolkit not installed or incorrectly installed", fault, {{"no_toolkit", likely}}},
        {"CUDA SDK Toolkit required for proper device support", fault, {{"no_toolkit", likely}}},
        {"/dev/nvhost-ctrl-gpu: Permission denied", fault, {{"device_file_denied", certain}}},
        {"open /dev/nvhost-{file:name}: Permission denied", fault, {{"device_file_denied", certain}}},
        {"The CUDA toolkit is not installed", fault, {{"no_toolkit", likely}}},
    };
}

}  // namespace

std::vector<Message> messages_of_applications() {
    std::vector<Message> all = of_video();
    for (const auto& some : {of_learning(), of_science()}) append(all, some);
    return all;
}

}  // namespace ptxguard
