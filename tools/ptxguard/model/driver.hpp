// NVIDIA drivers and GPUs, found or declared, and the driver's own PTX compiler.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "model/arch.hpp"
#include "model/fields.hpp"
#include "model/origin.hpp"
#include "model/version.hpp"

namespace ptxguard {

// libnvidia-ptxjitcompiler.so.1: compiles PTX as the driver does at load time, without a GPU.
struct JitLibrary {
    std::string path;
    std::string real_path;          // after symlinks; usually ends in the driver's version
    Known<Version> driver_version;  // from the file's name, a string in it, or the libcuda beside it

    PTXGUARD_MEMBERS_SET(path, real_path, driver_version)
};

struct Driver {
    std::string id;               // "driver1" ...
    bool declared = false;        // from --driver, --driver-libs or CONDA_OVERRIDE_CUDA, not from the machine
    Known<Version> version;       // release "535.104.05", or a branch "535"
    Known<Version> cuda;          // CUDA release that it reports ("12.2"); may be the only version known
    std::vector<JitLibrary> jit;  // its PTX compilers
    std::string libcuda;          // path; may be empty
    // Helpers of libcuda that are not beside it, although it is a driver's: "libnvidia-ptxjitcompiler.so.1".
    std::vector<std::string> lacks;
    std::string stub_first;   // a stub that the loader finds as libcuda.so.1 before the driver's, or alone
    bool unsearched = false;  // libcuda is in a folder of drivers that is not in ld.so.cache
    bool of_nixos = false;    // libcuda is only in NixOS's folder, which programs of NixOS alone search
    bool no_link = false;     // libcuda.so.1 is here, and libcuda.so in no folder that linkers search
    std::string wsl_libcuda;  // WSL: the libcuda.so.1 of Windows' driver, if the loader takes another one
    std::string beside_wsl;   // WSL: a Linux driver's libcuda.so.1 that the loader does not take
    bool stub = false;        // libcuda is the toolkit's stub
    bool compat = false;      // libcuda is in a forward-compatibility folder (cuda-compat) that is searched
    Known<Version> kernel;    // version of the kernel module, which may differ from libcuda's
    // Whether that module is NVIDIA's open one, which drives other GPUs than the proprietary one; absent =
    // not known.
    std::optional<bool> open_module;
    // The running kernel, if it has no nvidia module, and another one that has it.
    Known<std::string> no_module;
    std::string module_of;
    Known<Version> fabric_manager;  // NVSwitch: its release, if it is not the driver's
    bool device_files = false;      // /dev/nvidiactl or /dev/dxg is there
    // Why it does not cache code that it compiled from PTX ("CUDA_CACHE_DISABLE=1", "/ cannot be written");
    // unknown = it does.
    Known<std::string> keeps_no_code;
    // Variables of this process that the driver reads ("CUDA_FORCE_PTX_JIT=1"): it loads no cubin, it
    // compiles no PTX, it shows only some GPUs.
    Known<std::string> ignores_cubins, ignores_ptx, shows_gpus;
    bool no_device = false;  // cuInit finds no GPU that this process may use (errors 100 and 101), or would
    int init_error = 0;      // error of cuInit (CUresult): 803, 804; 0 = none, or cuInit was not called
    std::string trouble;     // problem: "libcuda.so.1 is the toolkit's stub", "kernel module not loaded"
    Origin origin;

    PTXGUARD_MEMBERS((id), (declared, version, cuda, jit, libcuda, lacks, stub_first, unsearched, of_nixos,
                            no_link, wsl_libcuda, beside_wsl, stub, compat, kernel, open_module, no_module,
                            module_of, fabric_manager, device_files, keeps_no_code, ignores_cubins,
                            ignores_ptx, shows_gpus, no_device, init_error, trouble, origin))
};

struct Gpu {
    std::string name;       // "NVIDIA H100 80GB HBM3", "RTX 3090", or "sm_90"
    Known<Arch> arch;       // compute capability; unknown if the name is unknown
    bool declared = false;  // given by the user
    Origin origin;

    PTXGUARD_MEMBERS((name), (arch, declared, origin))
};
std::vector<Arch> known_archs_of(const std::vector<Gpu>& gpus);

}  // namespace ptxguard
