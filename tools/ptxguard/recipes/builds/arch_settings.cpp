// SPDX-License-Identifier: Apache-2.0
#include "recipes/builds/arch_settings.hpp"

#include <algorithm>

#include "model/text.hpp"
#include "recipes/base/arguments.hpp"

namespace ptxguard::recipes {
namespace {

// How a value is written: "80;90", "8.0 9.0+PTX", "-gencode arch=...", "sm_70" (other words are not lists).
enum class Form { cmake, torch, nvcc, sm };
// Who reads it.
enum class Reader { variable, option, both };

struct Row {
    std::string_view name;
    Form form;
    Reader reader;
};
constexpr Row k_rows[] = {
    {"AMReX_CUDA_ARCH", Form::torch, Reader::option},
    {"CMAKE_CUDA_ARCHITECTURES", Form::cmake, Reader::both},
    {"CUDAARCHS", Form::cmake, Reader::variable},
    {"CUDA_ARCH", Form::sm, Reader::option},  // MFEM, LAMMPS
    {"CUDA_ARCHITECTURES", Form::cmake, Reader::variable},
    {"CUDA_ARCH_BIN", Form::torch, Reader::option},       // OpenCV: "7.5,8.6"
    {"CUDA_COMPUTE_CAP", Form::cmake, Reader::variable},  // bindgen_cuda: candle, mistral.rs
    {"CUMM_CUDA_ARCH_LIST", Form::torch, Reader::variable},
    {"CUPY_NVCC_GENERATE_CODE", Form::nvcc, Reader::variable},
    {"FLASHINFER_CUDA_ARCH_LIST", Form::torch, Reader::variable},
    {"FLASH_ATTN_CUDA_ARCHS", Form::cmake, Reader::variable},
    {"GMX_CUDA_TARGET_SM", Form::cmake, Reader::option},                    // GROMACS
    {"GPU_ARCH", Form::sm, Reader::option},                                 // LAMMPS
    {"GPU_COMPUTE_VER", Form::cmake, Reader::option},                       // XGBoost
    {"GPU_TARGET", Form::sm, Reader::option},                               // MAGMA
    {"HERMETIC_CUDA_COMPUTE_CAPABILITIES", Form::torch, Reader::variable},  // TensorFlow, JAX
    {"HOROVOD_BUILD_CUDA_CC_LIST", Form::cmake, Reader::variable},
    {"HYPRE_CUDA_SM", Form::cmake, Reader::option},
    {"NVCC_APPEND_FLAGS", Form::nvcc, Reader::variable},
    {"NVCC_GENCODE", Form::nvcc, Reader::variable},  // NCCL
    {"NVCC_PREPEND_FLAGS", Form::nvcc, Reader::variable},
    {"NVTE_CUDA_ARCHS", Form::cmake, Reader::variable},
    {"QUDA_GPU_ARCH", Form::sm, Reader::option},
    {"TCNN_CUDA_ARCHITECTURES", Form::cmake, Reader::both},
    {"TF_CUDA_COMPUTE_CAPABILITIES", Form::torch, Reader::variable},
    {"TORCH_CUDA_ARCH_LIST", Form::torch, Reader::both},
};

// Kokkos_ARCH_VOLTA70=ON
std::string kokkos_arch(std::string_view name) {
    const std::string_view start = "Kokkos_ARCH_";
    if (!starts_with(name, start)) return "";
    for (const std::string_view family :
         {"KEPLER", "MAXWELL", "PASCAL", "VOLTA", "TURING", "AMPERE", "ADA", "HOPPER", "BLACKWELL"})
        if (starts_with(name.substr(start.size()), family)) {
            const std::string_view number = name.substr(start.size() + family.size());
            return all_digits(number) ? std::string(number) : "";
        }
    return "";
}

// Every word is sm_NN.
std::string flags_of(const std::string& value) {
    std::string flags;
    for (const std::string& word : split(value, "; ,")) {
        if (!starts_with(word, "sm_")) return "";
        flags += (flags.empty() ? "-code=" : ",") + word;
    }
    return flags;
}

std::optional<ArchSetting> setting_of(const Row& row, const std::string& value) {
    if (row.form == Form::cmake) return ArchSetting{value, ArchDialect::cmake};
    if (row.form == Form::torch) return ArchSetting{value, ArchDialect::torch};
    const std::string flags = row.form == Form::sm ? flags_of(value) : value;
    if (flags.empty()) return std::nullopt;
    return ArchSetting{flags, ArchDialect::nvcc};
}

std::optional<ArchSetting> found(std::string_view name, const std::string& value, Reader other) {
    for (const Row& row : k_rows)
        if (row.name == name && row.reader != other) return setting_of(row, value);
    return std::nullopt;
}

}  // namespace

const std::vector<std::string_view>& arch_variables() {
    static const std::vector<std::string_view> names = [] {
        std::vector<std::string_view> all;
        for (const Row& row : k_rows)
            if (row.reader != Reader::option) all.push_back(row.name);
        return all;
    }();
    return names;
}

bool is_read_by_torch(std::string_view name) { return name == "TORCH_CUDA_ARCH_LIST"; }

std::optional<ArchSetting> arch_variable(std::string_view name, const std::string& value) {
    return found(name, value, Reader::option);
}

std::optional<ArchSetting> arch_option(std::string_view name, const std::string& value) {
    const std::string kokkos = kokkos_arch(name);
    if (!kokkos.empty() && is_on(value)) return ArchSetting{kokkos, ArchDialect::cmake};
    return found(name, value, Reader::variable);
}

}  // namespace ptxguard::recipes
