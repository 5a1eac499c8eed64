// Predictions from the tables if nothing can be run: the PTX that a release writes, and what its ptxas and a
// driver's JIT compiler accept.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "facts/facts.hpp"
#include "model/scenario.hpp"

namespace ptxguard {

// ptx and assemble results for each target (one of each without a target if none was requested).
std::vector<ProbeResult> predict_toolkit(const Facts& facts, const Scenario& scenario,
                                         const Toolkit& toolkit);

// One result for each PTX in `made`, or one without PTX with the newest version that the driver accepts.
std::vector<ProbeResult> predict_driver(const Facts& facts, const Driver& driver,
                                        const std::vector<ProbeResult>& made);

// The table's values for one compiler (ptxas, nvJitLink, NVRTC ...) of a version.
struct Prediction {
    Outcome outcome = Outcome::unknown;
    std::optional<PtxVersion> ptx;  // that it writes, or the newest that it accepts
    std::string reason;             // of a refusal, or what is missing
    std::string row;                // table row, with its source
};
// `name` as shown: "ptxas". `known_by`: the version whose release decides the architectures; `version`: the
// one whose release decides the PTX version.
Prediction predict_writing(const Facts& facts, const std::string& name, const Known<Version>& known_by,
                           const Known<Version>& version, Arch target);
Prediction predict_reading(const Facts& facts, const std::string& name, const Known<Version>& version,
                           Arch target, PtxVersion ptx);
Prediction predict_driver_reading(const Facts& facts, const Driver& driver, PtxVersion ptx);

}  // namespace ptxguard
