// Wheels, pages and indexes of other projects that name what they are built for, compared with the torch of a
// recipe or, without one, with its CUDA libraries.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "judge/rule.hpp"

namespace ptxguard {

void judge_built_for(const Scenario& scenario, const Facts& facts, Findings& findings);

}  // namespace ptxguard
