// CC109 framework_finds_no_ptxas: a framework that compiles for GPUs while it runs looks for ptxas in places
// of its own, and none of them holds one that it takes.
// SPDX-License-Identifier: Apache-2.0
#include "judge/search_questions.hpp"

namespace ptxguard {

PTXGUARD_RULE(CC109) { judge_searches(scenario, facts, "CC109", "ptxas", findings); }

}  // namespace ptxguard
