// nvJitLink, NVIDIA's linker and assembler library: a consumer of PTX.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "probe/engine.hpp"

namespace ptxguard {

struct NvJitLinkSample {
    std::string ptx;           // to be assembled; empty = for each arch an empty kernel of `version`
    PtxVersion version{1, 4};  // of the empty kernels; lowered or raised by nobody
    std::vector<Arch> archs;   // assemble for these (-arch=sm_XX)
    bool limit = false;        // also ask for the newest .version that it reads, with one that is absurd
};

Command nvjitlink_command(const std::string& library, const NvJitLinkSample& sample,
                          std::chrono::milliseconds limit);
EngineResult nvjitlink_result(const std::string& library, const NvJitLinkSample& sample,
                              const ProcessResult& run);

}  // namespace ptxguard
