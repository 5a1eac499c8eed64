// Applies the user's suppressions to findings and raises CC003 for those that do nothing. Inner header of the
// room.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "judge/judge.hpp"

namespace ptxguard {

// Sets `suppressed` on the findings that a suppression names by code or rule name, then adds one CC003
// warning for each suppression that named no finding. `table` says which codes exist. `of_files`: single
// files were judged, so that a suppression may well serve other files.
void apply_suppressions(const std::vector<Rule>& table, const std::vector<Suppression>& suppressions,
                        bool of_files, std::vector<Finding>& findings);

}  // namespace ptxguard
