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

// A compiler as listed in the tables.
struct TableTool {
    std::string name;  // as shown: "ptxas"
    Known<Version> version;
    bool absent = false;  // not in the toolkit
};
TableTool table_tool(const Toolkit& toolkit, PartKind kind);

struct Prediction {
    Outcome outcome = Outcome::unknown;
    std::optional<PtxVersion> ptx;  // that it writes, or the newest that it accepts
    std::string reason;             // why it was refused, or what is missing
    std::string row;                // table row, with its source
};
// `compiler` decides which architectures are available, `writer` (its cicc) the PTX version. Without a
// target: nvcc's default.
Prediction predict_writing(const Facts& facts, const TableTool& compiler, const TableTool& writer,
                           std::optional<Arch> target);
Prediction predict_reading(const Facts& facts, const TableTool& reader, std::optional<Arch> target,
                           PtxVersion ptx);
Prediction predict_driver_reading(const Facts& facts, const Driver& driver, PtxVersion ptx);
// By the newest PTX that the driver accepts. Refused: it has no compiler of Tile IR. Otherwise unknown.
Prediction predict_driver_tile_ir(const Facts& facts, std::optional<PtxVersion> reads);

}  // namespace ptxguard
