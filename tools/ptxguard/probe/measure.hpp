// Measures one toolkit: architecture list, PTX for each target, that PTX with its ptxas, one object.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <vector>

#include "ask/asker.hpp"
#include "model/scenario.hpp"
#include "probe/probe.hpp"
#include "probe/reading.hpp"

namespace ptxguard {

struct Measured {
    std::vector<ProbeResult> results;
    std::vector<PtxSample> samples;  // the PTX that was written, for the drivers
};

// For the build's toolkit this also resolves scenario.project.archs. If the version of cicc is not known, it
// is taken from the PTX that it wrote.
Measured measure_toolkit(const Asker& ask, const ProbeOptions& options, Scenario& scenario, Toolkit& toolkit);

// Which of the build's architectures this nvcc supports: the list of nvcc, and a compile for each that is not
// in it.
std::vector<ProbeResult> measure_architectures(const Asker& ask, const ProbeOptions& options,
                                               Scenario& scenario, Toolkit& toolkit);

// A refusal of options.flags by nvcc's dry run, which succeeds without them; with these flags in the
// scenario's project.
std::optional<ProbeResult> measure_flags(const Asker& ask, const ProbeOptions& options, Scenario& scenario,
                                         Toolkit& toolkit);

// A ptxas without an nvcc (CUDA 11 and 12 wheels): the PTX version that it accepts and which of the build's
// architectures it supports, measured with an empty kernel. Empty if it does not answer.
std::vector<ProbeResult> measure_assembler(const Asker& ask, const ProbeOptions& options,
                                           const Scenario& scenario, const Toolkit& toolkit);

}  // namespace ptxguard
