// What nvidia-smi prints.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "model/arch.hpp"
#include "model/version.hpp"

namespace ptxguard {

struct SmiBanner {
    std::optional<Version> driver;  // "Driver Version:", since 610 "KMD Version:"
    std::optional<Version> cuda;    // "CUDA Version:", since 610 "CUDA UMD Version:"
};
SmiBanner parse_smi_banner(const std::string& text);

// Lines "NVIDIA H100 80GB HBM3, 9.0" of --query-gpu=name,compute_cap; anything else is skipped.
std::vector<std::pair<std::string, Arch>> parse_smi_gpus(const std::string& text);

// "NVRM version: NVIDIA UNIX x86_64 Kernel Module  535.104.05  Sat Aug 19 ..." of
// /proc/driver/nvidia/version.
std::optional<Version> parse_kernel_module(const std::string& text);

}  // namespace ptxguard
