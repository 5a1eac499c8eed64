// What needs the findings of all rules. What raises a finding is in the folder of its rule. Inner header of
// the room.
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

// CC001: an exception in one rule must not lose the findings of others.
void add_could_not_run(const Rule& rule, const std::string& cause, std::vector<Finding>& findings);

// CC005: a pair that is refused or that the user named, and that no rule has reported.
void report_remaining_pairs(const std::vector<Obligation>& pairs, const std::vector<Finding>& said,
                            std::vector<Finding>& findings);
// CC005 too: what the user named and nothing was compared with.
void report_unmet(const Scenario& scenario, const Facts& facts, const std::vector<Obligation>& pairs,
                  const std::vector<Finding>& said, std::vector<Finding>& findings);

// Sets Finding::caused_by. A cause is an error that is not suppressed; a finding has at most one cause, and a
// cause has none.
void name_causes(const Scenarios& scenarios, std::vector<Finding>& findings);

// Sets `suppressed` on the findings that a suppression lists by code or rule name, then adds one CC003
// warning for each suppression that matched none. `table` lists the existing codes. `of_files`: single files
// were checked, so a suppression may be meant for other files. `elsewhere`: codes of rules that other runs of
// the same build run too.
void apply_suppressions(const std::vector<Rule>& table, const std::vector<Suppression>& suppressions,
                        bool of_files, const std::set<std::string>& elsewhere,
                        std::vector<Finding>& findings);

}  // namespace ptxguard
