// What of a machine was checked, with what was found: one line per area. Inner header of the room.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "judge/judge.hpp"

namespace ptxguard {

// `findings` are those of all rules, `table` names the area of each.
std::vector<CheckedArea> check_list(const std::vector<Rule>& table, const Scenario& scenario,
                                    const Facts& facts, const std::vector<Finding>& findings);

}  // namespace ptxguard
