// NVRTC, NVIDIA's compiler library for CUDA C++: a producer of PTX that needs neither nvcc nor a driver.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

#include "probe/engine.hpp"

namespace ptxguard {

struct NvrtcSample {
    std::string source;                // CUDA C++; empty = a small kernel of our own
    std::vector<Arch> archs;           // compile for these, as compute_XX; empty = only version and list
    std::vector<std::string> options;  // additional ones ("-default-device")
};
constexpr const char* k_lto_option = "-dlto";  // makes LTO-IR instead of PTX

// `library`: a path or bare name for this machine's loader.
Command nvrtc_command(const std::string& library, const NvrtcSample& sample, std::chrono::milliseconds limit);
// Files next to NVRTC that it opens: libnvrtc-builtins.so.12.9, nvrtc-builtins64_129.dll.
std::vector<std::string> builtins_beside(const Host& host, const std::string& library);
EngineResult nvrtc_result(const std::string& library, const NvrtcSample& sample, const Answer& run);

// libNVVM, the library that compiles NVVM IR to PTX: a producer, and part of each nvcc (cicc) and of Numba.
struct NvvmSample {
    std::string ir;  // NVVM IR as text; empty = an empty kernel in the dialect that this libNVVM reads
    std::vector<Arch> archs;  // compile for these (-arch=compute_XX); empty = only the version of the IR
};

Command nvvm_command(const std::string& library, const NvvmSample& sample, std::chrono::milliseconds limit);
EngineResult nvvm_result(const std::string& library, const NvvmSample& sample, const Answer& run);

// nvJitLink, NVIDIA's linker and assembler library: a consumer of PTX and LTO-IR.

// The kind of an input, by its first bytes; the numbers are nvJitLink's. A fatbin contains LTO-IR here.
enum class LinkInput { ptx = 2, ltoir = 3, fatbin = 4 };
LinkInput link_input(std::string_view code);

struct NvJitLinkSample {
    std::string ptx;  // input: PTX, LTO-IR or a fatbin; empty = an empty kernel of `version` for each arch
    PtxVersion version{1, 4};  // of the empty kernels; used unchanged
    std::vector<Arch> archs;   // assemble for these (-arch=sm_XX)
    bool limit = false;        // also measure the newest .version that it accepts, with an absurd one
};

Command nvjitlink_command(const std::string& library, const NvJitLinkSample& sample,
                          std::chrono::milliseconds limit);
EngineResult nvjitlink_result(const std::string& library, const NvJitLinkSample& sample, const Answer& run);

// Loads PTX on a GPU of this machine through libcuda, in a child process. Never launches a kernel.

// `libcuda`: path of the driver's library. `gpu`: its compute capability; uses the first such GPU.
Command cuda_command(const std::string& libcuda, Arch gpu, const std::string& ptx,
                     std::chrono::milliseconds limit);
EngineResult cuda_result(const std::string& libcuda, Arch gpu, const Answer& run);

}  // namespace ptxguard
