// NVRTC, NVIDIA's compiler library for CUDA C++: a producer of PTX that needs neither nvcc nor a driver.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "probe/engine.hpp"

namespace ptxguard {

struct NvrtcSample {
    std::string source;                // CUDA C++; empty = a small kernel of our own
    std::vector<Arch> archs;           // compile for these, as compute_XX; empty = only version and list
    std::vector<std::string> options;  // additional ones ("-default-device")
};

// `library`: a path or bare name for this machine's loader.
Command nvrtc_command(const std::string& library, const NvrtcSample& sample, std::chrono::milliseconds limit);
// Files next to NVRTC that it opens: libnvrtc-builtins.so.12.9, nvrtc-builtins64_129.dll.
std::vector<std::string> builtins_beside(const Host& host, const std::string& library);
EngineResult nvrtc_result(const std::string& library, const NvrtcSample& sample, const Answer& run);

}  // namespace ptxguard
