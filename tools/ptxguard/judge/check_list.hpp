// What of a machine was checked, with what was found: one line per area. Inner header of the room.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <set>
#include <string>
#include <vector>

#include "judge/judge.hpp"
#include "model/finding.hpp"
#include "model/scenario.hpp"

namespace ptxguard {

// `findings` are those of all rules, `table` names the area of each.
std::vector<CheckedArea> check_list(const std::vector<Rule>& table, const Scenario& scenario,
                                    const Facts& facts, const std::vector<Finding>& findings);

// Sets Judgement::drivers and Judgement::gpus from the pairs that they are part of and the findings.
void add_acceptances(const Scenario& scenario, const Facts& facts, Judgement& judgement);

// Which finding is gone when another one is repaired.

// Sets Finding::caused_by. A cause is an error that is not suppressed; a finding has one cause, which has
// none.
void name_causes(const std::vector<Scenario>& scenarios, std::vector<Finding>& findings);

// Applies the user's suppressions to findings and raises CC003 for those without effect.

// Sets `suppressed` on the findings that a suppression names by code or rule name, then adds one CC003
// warning for each suppression that matched none. `table` lists the existing codes. `of_files`: single files
// were checked, so a suppression may be meant for other files. `elsewhere`: codes of rules that other runs of
// the same build run too.
void apply_suppressions(const std::vector<Rule>& table, const std::vector<Suppression>& suppressions,
                        bool of_files, const std::set<std::string>& elsewhere,
                        std::vector<Finding>& findings);

}  // namespace ptxguard
