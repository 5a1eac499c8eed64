// What the tables say where nothing can be run: PTX that a release emits, what its ptxas and a driver's JIT
// read.
// SPDX-License-Identifier: Apache-2.0
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

// What a table says of one compiler: ptxas, nvJitLink, NVRTC ... of a version.
struct Prediction {
    Outcome outcome = Outcome::unknown;
    std::optional<PtxVersion> ptx;  // that it writes, or the newest that it reads
    std::string reason;             // of a refusal, or what is missing to know
    std::string row;                // of the table, with its source
};
// `name` for people: "ptxas". `known_by`: the version whose release decides which architectures there are;
// `version`: the one whose release decides the PTX version.
Prediction predict_writing(const Facts& facts, const std::string& name, const Known<Version>& known_by,
                           const Known<Version>& version, Arch target);
Prediction predict_reading(const Facts& facts, const std::string& name, const Known<Version>& version,
                           Arch target, PtxVersion ptx);
Prediction predict_driver_reading(const Facts& facts, const Driver& driver, PtxVersion ptx);

}  // namespace ptxguard
