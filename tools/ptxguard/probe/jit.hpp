// Asks a driver's PTX compiler (libnvidia-ptxjitcompiler) through a child of ourselves, so that a library
// that crashes or hangs takes nothing down. The answers' texts decide: the result codes differ between
// drivers.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <string>
#include <vector>

#include "host/host.hpp"
#include "model/scenario.hpp"

namespace ptxguard {

// PTX to be fed to each driver. Without text: the driver is only asked how far it reads.
struct PtxSample {
    std::string text;
    std::string toolkit;         // id of its producer
    std::optional<Arch> target;  // of the build; the results carry it
    std::optional<PtxVersion> version;
    std::vector<Arch> archs;  // compile for these
};

Command jit_command(const JitLibrary& library, const PtxSample& sample, std::chrono::milliseconds limit);

// One result per arch of the sample. Where the driver does not know an arch, one more without target that
// says whether it reads the PTX version for an arch that it does know. A sample without text gives one result
// without target and PTX.
std::vector<ProbeResult> jit_results(const Driver& driver, const JitLibrary& library, const PtxSample& sample,
                                     const ProcessResult& run);

// PTX for the GPUs at hand that it may be compiled for, else for its own target.
std::vector<Arch> archs_to_compile_for(Arch target, const std::vector<Gpu>& gpus);

}  // namespace ptxguard
