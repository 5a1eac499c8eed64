// CC109 framework_finds_no_ptxas: a framework that compiles for GPUs at run time searches its own list of
// places for ptxas and finds none that it accepts.
// SPDX-License-Identifier: Apache-2.0
#include "judge/search_questions.hpp"

namespace ptxguard {

PTXGUARD_RULE(CC109) { judge_searches(scenario, facts, "CC109", "ptxas", findings); }

}  // namespace ptxguard
