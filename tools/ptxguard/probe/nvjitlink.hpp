// nvJitLink, NVIDIA's linker and assembler library: a consumer of PTX.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "probe/engine.hpp"

namespace ptxguard {

struct NvJitLinkSample {
    std::string ptx;           // input; empty = an empty kernel of `version` for each arch
    PtxVersion version{1, 4};  // of the empty kernels; used unchanged
    std::vector<Arch> archs;   // assemble for these (-arch=sm_XX)
    bool limit = false;        // also measure the newest .version that it accepts, with an absurd one
};

Command nvjitlink_command(const std::string& library, const NvJitLinkSample& sample,
                          std::chrono::milliseconds limit);
EngineResult nvjitlink_result(const std::string& library, const NvJitLinkSample& sample, const Answer& run);

}  // namespace ptxguard
