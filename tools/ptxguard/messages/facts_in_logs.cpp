// Lines that are no fault and name a version, a GPU, a driver, a compiler or a folder.
// SPDX-License-Identifier: Apache-2.0
#include "messages/message.hpp"

namespace ptxguard {

std::vector<Message> messages_with_facts() {
    std::vector<Message> all{
        // who compiles the PTX of a program
        {"cuLinkAddData", Role::fact, "jit_of_driver"},
        {"cuLinkComplete", Role::fact, "jit_of_driver"},
        {"cuModuleLoadData", Role::fact, "jit_of_driver"},
        {"libnvidia-ptxjitcompiler", Role::fact, "jit_of_driver"},
        {"/triton/backends/nvidia/bin/ptxas", Role::fact, "triton"},
        {"{importer:word} import _C", Role::fact, "module_of_extension"},
        {"from . import _C", Role::fact, "module_of_extension"},
        {"from ..._C.", Role::fact, "module_of_extension"},
        {"from .._C.", Role::fact, "module_of_extension"},
        // A traceback through a package that is compiled for one release of PyTorch.
        {"-packages{:\\|/}{importer:sageattention|sageattn3|flash_attn_3|flash_attn|xformers|nunchaku|mmcv|"
         "detectron2|torch_scatter|torch_sparse|torch_cluster|torch_spline_conv|pytorch3d|tinycudann|gsplat|"
         "diff_gaussian_rasterization|simple_knn|nvdiffrast|kaolin|spconv|apex|exllamav2|exllamav3|auto_gptq|"
         "gptqmodel|awq|causal_conv1d|mamba_ssm|natten|torchao|deep_gemm|sgl_kernel|vllm_flash_attn|vllm}"
         "{:\\|/}",
         Role::fact, "traceback_of_extension"},
    };
    for (const char* pattern : {
             // nvidia-smi
             "NVIDIA-SMI {smi:version} Driver Version: {driver:version} CUDA Version: {driver_cuda:version}",
             "NVIDIA-SMI {smi:version} KMD Version: {driver:version} CUDA UMD Version: {driver_cuda:version}",
             "{index:number} {gpu} On | 00000000:{bus:word}",
             "{index:number} {gpu} Off | 00000000:{bus:word}",
             "GPU {index:number}: {gpu} (UUID: GPU-",
             // torch.utils.collect_env
             "CUDA used to build PyTorch: {torch_cuda:version}",
             "CUDA used to build PyTorch: {torch_build:word}",
             "Nvidia driver version: {driver:version}",
             "NVIDIA Driver: {driver:version}",
             "CUDA runtime version: {nvcc:version}",
             "cuDNN version: {cudnn:version}",
             "Is CUDA available: {cuda_available:word}",
             "GPU models and configuration: GPU 0: {gpu}",
             "GPU models and configuration: {gpu}",
             "GCC version: ({vendor}) {gcc:version}",
             "CMake version: version {cmake:version}",
             "CUDA_HOME: {cuda_home:path}",
             "[pip3] torch=={torch:version}",
             "[pip] torch=={torch:version}",
             "Collecting torch=={torch:version}",
             "vLLM API server version {vllm:version}",
             "[conda] pytorch {torch:version}",
             "[pip3] nvidia-cudnn-cu{cudnn_cuda:number}=={cudnn_file:version}",
             "nvidia-nccl-cu{nccl_cuda:number}==",
             "nvidia-cublas-cu{cublas_cuda:number}==",
             "nvidia-cusparse-cu{cusparse_cuda:number}==",
             "nvidia-cusolver-cu{cusolver_cuda:number}==",
             "nvidia-cufft-cu{cufft_cuda:number}==",
             "nvidia-nvjitlink-cu{nvjitlink_cuda:number}==",
             "[conda] nvidia-cudnn-cu{cudnn_cuda:number} {cudnn_file:version}",
             "libcudnn.so.{cudnn_file:version}",
             "libcudnn_{part:name}.so.{cudnn_file:version}",
             // nvcc and CMake
             "Cuda compilation tools, release {nvcc_release:version}, V{nvcc:version}",
             "The CUDA compiler identification is NVIDIA {cmake_nvcc:version}",
             "Check for working CUDA compiler: {nvcc_path:path}",
             "Found CUDA: {cuda_root:path} (found version '{found_cuda:version}')",
             "Found CUDA: {cuda_root:path} (found suitable version '{found_cuda:version}'",
             "Found CUDAToolkit: {toolkit_include:path} (found version '{found_toolkit:version}')",
             "Found CUDAToolkit: {toolkit_include:path} (found suitable version '{found_toolkit:version}'",
             "The CXX compiler identification is GNU {gcc:version}",
             "The CUDA compiler identification is NVIDIA {cmake_nvcc:version} with host compiler GNU "
             "{gcc:version}",
             "Toolkit\\CUDA\\v{nvcc:version}\\include\\crt",
             "/cuda-{nvcc:version}/include/crt/host_config.h",
             "/cuda-{nvcc:version}/targets/x86_64-linux/include/crt/host_config.h",
             "/cuda-{nvcc:version}/bin/nvcc",
             "Caffe2: CUDA detected: {nvcc:version}",
             "Caffe2: CUDA nvcc is: {nvcc_path:path}",
             "Repro command: {ptxas_path:path} -",
             // programs
             "--gpu-architecture={arch_asked:arch}",
             "ggml_cuda_init: found {number:number} CUDA devices",
             "Device {index:number}: {gpu}, compute capability {arch_of_gpu:arch}",
             "compute capability: {arch_of_gpu:arch}",
             "Compute Capability : {arch_of_gpu:arch}",
             "Using device: {gpu}, compute capability",
             "CUDA Driver Version / Runtime Version {driver_cuda:version} / {runtime:version}",
             "name: {gpu} major: {major:number} minor: {minor:number}",
             "name: {gpu}, pci bus id: {bus:word}, compute capability: {arch_of_gpu:arch}",
             "^Driver Version: {driver:version}",
             "CUDA Driver Version: {driver_api:number}",
             "libcuda reported version is: {driver:version}",
             "kernel reported version is: {driver:version}",
             "XLA_FLAGS=--xla_gpu_cuda_data_dir={data_dir:path}",
             "LD_LIBRARY_PATH={search_path:path}",
             // what runs in a container, or in WSL
             "docker run {container_command}",
             "docker compose {container_command}",
             "docker-compose {container_command}",
             "podman run {container_command}",
             "apptainer exec {container_command}",
             "singularity exec {container_command}",
             "/usr/lib/wsl/{wsl}",
             "/mnt/c/Users/{wsl}",
             "-microsoft-standard-{wsl}",
             "Windows Subsystem for Linux{wsl}",
             "Looking in indexes: https://download.pytorch.org/whl/cu{torch_index}",
             "# R32 (release){jetpack4}",
             "R32 (release), {jetpack4}",
             "l4t-r32.{jetpack4}",
             // what was installed
             "pip install {pip_words}",
             // the Python of an installer
             "Python 3.{python_minor:number}",
             "Python version: 3.{python_minor:number}",
             "-cp3{python_minor:number}-cp{python_abi:number}{:m|}-linux_x86_64.whl",
             "-cp3{python_minor:number}-cp{python_abi:number}{:m|}-win_amd64.whl",
             "-cp3{python_minor:number}-cp{python_abi:number}{:m|}-manylinux",
             // packages that pip and uv list
             "Successfully installed {installed}",
             "tensorflow=={tensorflow:version}",
             "^tensorflow {tensorflow:version}",
             "TensorFlow version: {tensorflow:version}",
             "tensorflow version {tensorflow:version}",
             "jaxlib=={jaxlib:version}",
             "torchvision=={torchvision:version}",
             "onnxruntime-gpu=={onnxruntime:version}",
             "torch version: {torch:version}",
             "torch.__version__: {torch:version}",
         })
        all.push_back({pattern, Role::fact});
    return all;
}

}  // namespace ptxguard
