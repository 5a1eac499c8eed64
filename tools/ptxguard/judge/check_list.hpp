// What was checked on a machine, and what was found: one line per area. Inner header of the room.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <set>
#include <string>
#include <vector>

#include "judge/judge.hpp"
#include "judge/relation.hpp"
#include "model/finding.hpp"
#include "model/scenario.hpp"

namespace ptxguard {

using Scenarios = std::vector<std::reference_wrapper<const Scenario>>;

// `pairs` are the scenario's, `findings` those of all rules, `table` has the area of each rule.
std::vector<CheckedArea> check_list(const std::vector<Rule>& table, const Scenario& scenario,
                                    const Facts& facts, const std::vector<Obligation>& pairs,
                                    const std::vector<Finding>& findings);

// Sets Judgement::drivers and Judgement::gpus from their pairs and the findings.
void add_acceptances(const Scenario& scenario, const std::vector<Obligation>& pairs, Judgement& judgement);

// Which finding disappears when another one is fixed.

// Sets Finding::caused_by. A cause is an error that is not suppressed; a finding has at most one cause, and a
// cause has none.
void name_causes(const Scenarios& scenarios, std::vector<Finding>& findings);

// Applies the user's suppressions to findings and raises CC003 for those without effect.

// Sets `suppressed` on the findings that a suppression lists by code or rule name, then adds one CC003
// warning for each suppression that matched none. `table` lists the existing codes. `of_files`: single files
// were checked, so a suppression may be meant for other files. `elsewhere`: codes of rules that other runs of
// the same build run too.
void apply_suppressions(const std::vector<Rule>& table, const std::vector<Suppression>& suppressions,
                        bool of_files, const std::set<std::string>& elsewhere,
                        std::vector<Finding>& findings);

}  // namespace ptxguard
