// Calls a driver's PTX compiler (libnvidia-ptxjitcompiler) in a child process, so that a library that crashes
// or hangs does no harm. The message text decides, because result codes differ between drivers.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <string>
#include <vector>

#include "ask/asker.hpp"
#include "model/scenario.hpp"

namespace ptxguard {

// PTX for each driver. Without text, only the newest version that the driver accepts is measured.
struct PtxSample {
    std::string text;
    std::string toolkit;         // id of its producer
    std::optional<Arch> target;  // of the build; copied to the results
    std::optional<PtxVersion> version;
    std::vector<Arch> archs;  // compile for these
};

Question jit_question(const JitLibrary& library, const PtxSample& sample, std::chrono::milliseconds limit);

// One result per arch of the sample. If the driver does not support an arch, there is one more without
// target, for whether it accepts the PTX version for a supported arch. A sample without text gives one result
// without target and PTX. A library that accepts an absurd version or refuses the oldest one is not used: all
// its results are unknown.
std::vector<ProbeResult> jit_results(const Driver& driver, const JitLibrary& library, const PtxSample& sample,
                                     const Answer& run);

// PTX for the installed GPUs that it may be compiled for, otherwise for its own target.
std::vector<Arch> archs_to_compile_for(Arch target, const std::vector<Gpu>& gpus);

}  // namespace ptxguard
