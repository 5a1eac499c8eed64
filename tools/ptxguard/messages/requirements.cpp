// What many programs say alike when a release or a GPU does not do: "requires CUDA 12.8 or newer". For these
// rows the same holds as for those of statements.cpp.
// SPDX-License-Identifier: Apache-2.0
#include "messages/message.hpp"
#include "model/ranges.hpp"

namespace ptxguard {
namespace {

std::vector<Message> of_toolkits() {
    const std::vector<Suspect> old{{"statement_of_cuda", likely}};
    return {
        {"requires {:at least |a |an |the |}{:NVIDIA |}CUDA {:toolkit |SDK |compiler |nvcc |runtime "
         "|}{:version |}{:>= |>=|> |v|}{need:version}",
         old, k_statement},
        {"require {:at least |}{:NVIDIA |}CUDA {:toolkit |SDK |compiler |}{:version |}{:>= |>=|> "
         "|v|}{need:version}",
         old, k_statement},
        {"requires {:at least |}nvcc {:version |}{:>= |>=|> |v|}{need:version}", old, k_statement},
        {"CUDA {:toolkit version |toolkit |version |}{need:version}{:+ | or newer | or later | or higher | "
         "or above | and above | and newer | and later | }is required",
         old, k_statement},
        {"CUDA {:toolkit |version |}{:>= |>=|> }{need:version} is required", old, k_statement},
        {"requires CUDA {:driver |driver version }{:>= |>=|}{need_driver_cuda:version}",
         {{"driver_too_old", likely}},
         k_statement},
        {"{:upgrade|update} to CUDA {:toolkit |}{:version |}{:>= |>=|v|}{need:version}", old, k_statement},
        {"CUDA version is too {:old|low}", old, k_statement},
        {"CUDA version {:(|}{found_cuda:version}{:)|} is too {:old|low}", old, k_statement},
        {"CUDA version too {:old|low}", old, k_statement},
        {"{:Your|Installed|Detected|Current} CUDA {:toolkit |}version {:(|}{found_cuda:version}{:)|} is "
         "{:older|lower} than",
         old, k_statement},
        {"upgrade your CUDA {:toolkit|version|installation}", old, k_statement},
        {"Unsupported CUDA {:toolkit |SDK |}{:version|release}{::|} {found_cuda:version}",
         {{"toolkit_unsupported", likely}},
         k_statement},
        {"Unsupported CUDA_VERSION", {{"toolkit_unsupported", likely}}, k_statement},
        {"Outdated {:NVIDIA |}CUDA {:toolkit|SDK|runtime|version}", old, k_statement},
        {"Incompatible {:NVIDIA |}CUDA {:toolkit|SDK|runtime|version}",
         {{"toolkit_unsupported", likely}},
         k_statement},
        {"CUDA {:toolkit |version |}{found_cuda:version} is {:not|un}{: |}{:currently |yet |}supported",
         {{"toolkit_unsupported", likely}},
         k_statement},
        {"{:does not|doesn't} support CUDA {:toolkit |version |}{found_cuda:version}",
         {{"toolkit_unsupported", likely}},
         k_statement},
        {"CUDA version mismatch", {{"toolkit_major_mismatch", likely}}, k_statement},
        {"CUDA runtime version mismatch", {{"toolkit_major_mismatch", likely}}, k_statement},
        {"cuDNN version mismatch", {{"cudnn_versions", likely}}, k_statement},
        {"requires cuDNN {:version |}{:>= |>=|v|}{cudnn_built:version}",
         {{"cudnn_older", likely}},
         k_statement},
        {"cuDNN {cudnn_built:version}{:+| or newer| or later| or higher} is required",
         {{"cudnn_older", likely}},
         k_statement},
        {"requires NCCL {:version |}{:>= |>=|v|}{need:version}",
         {{"library_set_mixed", likely}},
         k_statement},
        {"TensorRT version mismatch", {{"companions", likely}}, k_statement},
    };
}

// A build's own check: "CUDA 9_1 does not support g++ (g++-7)", "GCC 14 is not supported by CUDA 12.3".
std::vector<Message> of_host_compilers() {
    const std::vector<Suspect> unsupported{{"host_compiler_unsupported", likely}};
    return {
        {"{:CUDA|nvcc} {:version |}{of_cuda:word} {:does not|doesn't} support {:your "
         "|}{:g++|GCC|clang|MSVC|Visual Studio|the host compiler|this host compiler|host compiler}",
         unsupported, k_statement},
        {"{:CUDA|nvcc} {:does not|doesn't} support {:your |}{:g++|GCC|clang|MSVC|Visual Studio|this host "
         "compiler|the host compiler}",
         unsupported, k_statement},
        {"{:g++|GCC|clang|MSVC|Visual Studio|host compiler} {:version |}{of_compiler:word} is not "
         "{:supported by|compatible with} {:CUDA|nvcc}",
         unsupported, k_statement},
        {"is not a supported host compiler for {:CUDA|nvcc}", unsupported, k_statement},
        {"{:g++|GCC|clang|MSVC} {:version |}is too new for {:CUDA|nvcc}", unsupported, k_statement},
        {"{:g++|GCC|clang|MSVC} {:version |}{of_compiler:word} is too new for {:CUDA|nvcc}", unsupported,
         k_statement},
    };
}

std::vector<Message> of_drivers() {
    const std::vector<Suspect> old{{"driver_too_old_for_program", likely}};
    return {
        {"requires {:at least |a minimum |minimum |a |an |}{:NVIDIA |CUDA |GPU |display |}driver {:version: "
         "|version |release |}{:>= |>=|R|v|}{need_driver:version}",
         old, k_statement},
        {"require {:at least |}{:NVIDIA |CUDA |GPU |}driver {:version |}{:>= |>=|R|v|}{need_driver:version}",
         old, k_statement},
        {"Insufficient {:NVIDIA |CUDA |GPU |display |graphics |}driver", old, k_statement},
        {"Outdated {:NVIDIA |CUDA |GPU |display |graphics |}driver", old, k_statement},
        {"Incompatible {:NVIDIA |CUDA |GPU |display |graphics |}driver", old, k_statement},
        {"driver {:does not|doesn't} support {:this|the required|the requested} "
         "{:NVENC|NVDEC|CUDA|OptiX|NVENC API|PTX} version",
         old, k_statement},
        {"{:reason|status|error}{:=|: }outdated_driver", old, k_statement},  // OBS
        {"driver version is {:too old|too low|older than|lower than|below}", old, k_statement},
        {"driver version {driver:version} is {:too old|outdated|not supported|unsupported|insufficient|older "
         "than|below}",
         old, k_statement},
        {"driver {driver:version} is too old", old, k_statement},
        {"driver {driver:version} is outdated", old, k_statement},
        {"driver {driver:version} is not supported", old, k_statement},
        {"driver {driver:version} is older than", old, k_statement},
        {"driver is {:too old|outdated|out of date|not up to date}", old, k_statement},
        {"driver version must be {:at least |>= |>=|}{need_driver:version}", old, k_statement},
        {"update your {:NVIDIA |GPU |CUDA |graphics |graphics card |video |display |}driver",
         {{"driver_too_old_for_program", possible}},
         k_statement},
        {"upgrade your {:NVIDIA |GPU |CUDA |graphics |graphics card |video |display |}driver",
         {{"driver_too_old_for_program", possible}},
         k_statement},
        {"update the {:NVIDIA |GPU |CUDA |graphics |}driver",
         {{"driver_too_old_for_program", possible}},
         k_statement},
        {"driver only supports CUDA {driver_api_cuda:version}", {{"driver_too_old", likely}}, k_statement},
        {"driver supports only CUDA {driver_api_cuda:version}", {{"driver_too_old", likely}}, k_statement},
        {"driver only supports up to CUDA {driver_api_cuda:version}",
         {{"driver_too_old", likely}},
         k_statement},
    };
}

std::vector<Message> of_gpus() {
    const std::vector<Suspect> old{{"gpu_too_old_for_program", likely}};
    return {
        {"requires {:at least |a |an |}{:NVIDIA |CUDA |}{:GPU with |GPUs with |device with |devices with "
         "|}{:a |}{:CUDA |minimum |}compute capability {:of |of at least |at least |>= |>=|> "
         "|}{need:version}",
         old, k_statement},
        {"require {:a |}{:GPU with |GPUs with |}{:a |}{:CUDA |minimum |}compute capability {:of |of at least "
         "|at least |>= |>=|> |}{need:version}",
         old, k_statement},
        {"compute capability {:of |at least |>= |>=|}{need:version}{:+| or higher| or newer| or later| or "
         "above| or greater} is required",
         old, k_statement},
        {"compute capability must be {:at least |>= |>=|}{need:version}", old, k_statement},
        {"compute capability {:(|}{arch:version}{:)|} is {:not supported|too low|too old|unsupported}", old,
         k_statement},
        {"Unsupported {:CUDA |GPU |device |}compute capability{::|} {:sm_|}{arch:version}", old, k_statement},
        {"Unsupported {:CUDA |GPU |device |}compute capability", old, k_statement},
        {"{:has|contains} no kernels for {:any |this |your |the |}GPU",
         {{"no_code_for_gpu", likely}},
         k_statement},
        {"failed to load CUDA {:fat binary|fatbinary|fatbin|cubin|module|kernels|kernel}",
         {{"no_code_for_gpu", likely}, {"ptx_newer_than_driver", possible}},
         k_statement},
        {"only supports {:NVIDIA |}{:Volta|Turing|Ampere|Ada|Hopper|Blackwell}", old, k_statement},
        {"only supported on {:NVIDIA |}{:Volta|Turing|Ampere|Ada|Hopper|Blackwell}", old, k_statement},
        {"requires {:an |a |}{:NVIDIA |}{:Volta|Turing|Ampere|Ada|Hopper|Blackwell}", old, k_statement},
        {"requires {:at least |an |a |}{:SM |sm_|SM_|SM|sm}{need_sm:number}{:a|}{:+| or higher| or newer| or "
         "later| and above| or SM|/SM| family|-class| GPU}",
         old, k_statement},
        {"your GPU is {:too old|not supported|unsupported}", old, k_statement},
        {"This GPU is {:too old|not supported|unsupported}", old, k_statement},
        {"GPU architecture is not supported", old, k_statement},
        {"Unsupported GPU {:architecture|arch|model|type|family}", old, k_statement},
    };
}

// "requires a CUDA device": the program sees none.
std::vector<Message> of_needs() {
    const std::vector<Suspect> none{{"cuda_unavailable", likely}};
    return {
        {"requires {:a |an |at least one |an available |an active |}{:CUDA-capable|CUDA-enabled|CUDA "
         "capable|CUDA|NVIDIA} {:GPU|device|graphics card}",
         none, k_statement},
        {"require {:a |an |at least one |an available |an active |}{:CUDA-capable|CUDA-enabled|CUDA "
         "capable|CUDA|NVIDIA} {:GPU|device|graphics card}",
         none, k_statement},
        {"requires CUDA", none, k_statement_of_thing},
        {"{:CUDA device|CUDA GPU|CUDA-capable GPU|CUDA-capable device|CUDA|NVIDIA GPU} is required", none,
         k_statement_of_thing},
    };
}

}  // namespace

std::vector<Message> messages_of_requirements() {
    std::vector<Message> all = of_toolkits();
    for (const auto& some : {of_host_compilers(), of_drivers(), of_gpus(), of_needs()}) append(all, some);
    return all;
}

}  // namespace ptxguard
