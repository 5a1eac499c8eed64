// libNVVM, the library that compiles NVVM IR to PTX: a producer, and part of each nvcc (cicc) and of Numba.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "probe/engine.hpp"

namespace ptxguard {

struct NvvmSample {
    std::string ir;  // NVVM IR as text; empty = an empty kernel in the dialect that this libNVVM reads
    std::vector<Arch> archs;  // compile for these (-arch=compute_XX); empty = only the version of the IR
};

Command nvvm_command(const std::string& library, const NvvmSample& sample, std::chrono::milliseconds limit);
EngineResult nvvm_result(const std::string& library, const NvvmSample& sample, const Answer& run);

}  // namespace ptxguard
