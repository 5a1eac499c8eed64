// What the tables say where nothing can be run: PTX that a release emits, what its ptxas and a driver's JIT
// read. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "facts/facts.hpp"
#include "model/scenario.hpp"

namespace ptxguard {

// ptx and assemble results for each target (one of each without a target where none was asked for).
std::vector<ProbeResult> predict_toolkit(const Facts& facts, const Scenario& scenario,
                                         const Toolkit& toolkit);

// One result for each PTX that `made` holds, or one without PTX that says what the driver reads.
std::vector<ProbeResult> predict_driver(const Facts& facts, const Driver& driver,
                                        const std::vector<ProbeResult>& made);

}  // namespace ptxguard
