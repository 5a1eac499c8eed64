// What was checked on a machine, and what was found: one line per area. Inner header of the room.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "judge/judge.hpp"
#include "judge/relation.hpp"
#include "model/finding.hpp"
#include "model/scenario.hpp"

namespace ptxguard {

// `pairs` are the scenario's, `findings` those of all rules, `table` has the area of each rule.
std::vector<CheckedArea> check_list(const std::vector<Rule>& table, const Scenario& scenario,
                                    const Facts& facts, const std::vector<Obligation>& pairs,
                                    const std::vector<Finding>& findings);

// Sets Judgement::drivers and Judgement::gpus from their pairs and the findings.
void add_acceptances(const Scenario& scenario, const std::vector<Obligation>& pairs, Judgement& judgement);

}  // namespace ptxguard
