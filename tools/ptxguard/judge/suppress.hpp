// Applies the user's suppressions to findings and raises CC003 for those without effect. Inner header of the
// room.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "judge/judge.hpp"

namespace ptxguard {

// Sets `suppressed` on the findings that a suppression names by code or rule name, then adds one CC003
// warning for each suppression that matched none. `table` lists the existing codes. `of_files`: single files
// were checked, so a suppression may be meant for other files. `elsewhere`: codes of rules that other runs of
// the same build run too.
void apply_suppressions(const std::vector<Rule>& table, const std::vector<Suppression>& suppressions,
                        bool of_files, const std::set<std::string>& elsewhere,
                        std::vector<Finding>& findings);

}  // namespace ptxguard
