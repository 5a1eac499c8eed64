// Which fixes help, and the smallest set of them after which no error remains: each is applied to a copy of
// the facts, and the rules judge the copy. For the room, and for `ptxguard plan`.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <optional>
#include <vector>

#include "facts/facts.hpp"
#include "model/finding.hpp"
#include "model/scenario.hpp"

namespace ptxguard {

using JudgeOne = std::function<std::vector<Finding>(const Scenario&)>;

// Removes from `findings` (of that scenario) each fix that leaves its finding or causes another error.
// Returns the smallest sets of steps after which no error remains, cheapest first; empty if there is no
// error, or no such set is known. If there is one cause and each set is one step, its finding gets them as
// fixes.
std::vector<Plan> prove_fixes(const Scenario& scenario, const Facts& facts, const JudgeOne& judge_one,
                              std::vector<Finding>& findings);

// The first builds of the framework, in that order, on which the rules find no error and no unknown with
// these drivers and GPUs; at most `most`.
std::vector<Fix> builds_that_run(const Expectation& like, const std::vector<Fix>& builds, std::size_t most,
                                 const Scenario& scenario, const Facts& facts, const JudgeOne& judge_one);

struct OpenBuild {
    Fix build;
    std::vector<std::string> unknown;  // "which GPU architectures it has code for"
};

// Left open for each build whose architectures no table lists ("without_archs: open" in the rule's page).
bool is_of_unlisted_archs(const Finding& finding);

// The first build that no rule refuses, and what is not known about it. Nothing if all are refused.
std::optional<OpenBuild> build_left_open(const Expectation& like, const std::vector<Fix>& builds,
                                         const Scenario& scenario, const Facts& facts,
                                         const JudgeOne& judge_one);

}  // namespace ptxguard
