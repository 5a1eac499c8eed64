// The driver's user-mode libraries as files: its PTX compiler and libcuda, and the versions in their names
// and strings.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "ask/questions.hpp"
#include "facts/facts.hpp"
#include "host/host.hpp"
#include "model/arch.hpp"
#include "model/driver.hpp"
#include "model/request.hpp"
#include "model/scenario.hpp"
#include "model/version.hpp"

namespace ptxguard {

// PTX compilers below a folder (a few levels deep), or the file itself under any name. Each once.
std::vector<JitLibrary> find_jit_libraries(const Host& host, const std::string& folder_or_file);
// Only directly in this folder.
std::vector<JitLibrary> jit_libraries_in(const Host& host, const std::string& folder);

struct LibCuda {
    std::string path;        // empty = none
    bool stub = false;       // the toolkit's, for linking only
    Known<Version> version;  // of the driver, from the real file's name or its strings
};
LibCuda libcuda_in(const Host& host, const std::string& folder);
// The driver's version in the name of the real file: libnvidia-nvvm.so.550.163.01.
Known<Version> driver_version_in_name(const Host& host, const std::string& path);

// Helpers of a driver's libcuda that no folder of the loader has: "libnvidia-ptxjitcompiler.so.1".
std::vector<std::string> missing_helpers(const Host& host, const LibCuda& libcuda);
// WSL: Windows' libcuda.so.1, if `libcuda` is another one.
std::string hidden_wsl_libcuda(const Host& host, const LibCuda& libcuda);
bool has_device_files(const Host& host);

// The CUDA release of the driver's compiler, from a string in it.
Known<Version> jit_release(const Host& host, const JitLibrary& library);

// The driver of this machine, from all sources.

// Adds at most one driver, and the questions for its release and its GPUs. Nothing if no source shows a
// driver.
void find_driver(Questions& questions, Scenario& scenario);

// GPUs that the user names.
void declare_gpus(const Facts& facts, const Request& request, Scenario& scenario);

// The header that nvidia-smi prints.
struct SmiBanner {
    std::optional<Version> driver;  // "Driver Version:", since 610 "KMD Version:"
    std::optional<Version> cuda;    // "CUDA Version:", since 610 "CUDA UMD Version:"
};
SmiBanner parse_smi_banner(const std::string& text);

// Lines "NVIDIA H100 80GB HBM3, 9.0" of --query-gpu=name,compute_cap; anything else is skipped.
std::vector<std::pair<std::string, Arch>> parse_smi_gpus(const std::string& text);

// Whether -lcuda finds nothing, although the driver is here: some packages and mounts have libcuda.so.1 only.
bool lacks_linker_name(const Host& host, const LibCuda& libcuda);

// "NVRM version: NVIDIA UNIX x86_64 Kernel Module  535.104.05  Sat Aug 19 ..." of
// /proc/driver/nvidia/version.
struct KernelModule {
    Version version;
    bool open = false;  // "NVIDIA UNIX Open Kernel Module for x86_64  580.65.06"
};
std::optional<KernelModule> parse_kernel_module(const std::string& text);

}  // namespace ptxguard
