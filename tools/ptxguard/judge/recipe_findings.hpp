// What the findings of one of a recipe's environments weigh beside those of the others. Inner header of the
// room.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "judge/after_rules.hpp"
#include "judge/rule.hpp"

namespace ptxguard {

// One of several environments of a file: what concerns all of them, another one has.
void keep_own_lines(const Scenario& scenario, std::vector<Finding>& findings);
// Of extras that exclude each other, another one may be for the machine that is named.
void soften_alternative(const Scenario& scenario, std::vector<Finding>& findings);

// Of all environments. The same values are reported once, as in the one in which they do the most harm.
void drop_weaker(std::vector<Finding>& findings);
// In a pass for other lines of a file, what another one says of the same line is not said again.
void drop_said(const Scenarios& scenarios, std::vector<Finding>& findings);

}  // namespace ptxguard
