// CC208 in two sources.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string_view>

#include "judge/rule.hpp"

namespace ptxguard {

// The lowest CUDA with which "cuda>=12.4 brand=tesla,cuda>=12.0" starts: blanks separate alternatives, commas
// conditions that must all hold. Nothing if no alternative has such a condition.
std::optional<Version> lowest_cuda(std::string_view gate);

// The demand of an unpacked image or of the one of a recipe. A container that runs has been let through.
void judge_demand(const Scenario& scenario, const Facts& facts, const Driver& driver, Findings& findings);

// The same check in a log: the image's CUDA against the release that the driver reports.
void judge_gate_of_log(const Scenario& scenario, Findings& findings);

}  // namespace ptxguard
