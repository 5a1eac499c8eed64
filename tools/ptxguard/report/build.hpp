// What a build system uses of a report. Inner header of the room.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "report/report.hpp"

namespace ptxguard {

struct BuildAnswer {
    std::string nvcc, ptxas;                 // paths; empty = none
    std::string nvcc_version;                // empty = unknown
    std::optional<PtxVersion> ptx;           // that nvcc emits
    std::vector<std::string> architectures;  // requested ones that the toolkit supports, in CMake's notation
    std::vector<std::string>
        frameworks;                   // found, of those that are checked; with cuDNN and cuBLAS if required
    std::vector<std::string> codes;   // of the findings that are not suppressed
    const Finding* first = nullptr;   // the most important finding; null = none
    std::vector<std::string> later;   // "CC108: ...": what would stop the build if it stayed as it is
    std::vector<std::string> inputs;  // files whose change makes the answer stale
};

BuildAnswer build_answer(const Scenario& scenario, const Judgement& judgement);

}  // namespace ptxguard
