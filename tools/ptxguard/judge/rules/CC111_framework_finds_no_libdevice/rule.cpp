// CC111 framework_finds_no_libdevice: a framework that compiles for GPUs while it runs looks for libdevice in
// places of its own, and none of them holds one that it takes.
// SPDX-License-Identifier: Apache-2.0
#include "judge/search_questions.hpp"

namespace ptxguard {

PTXGUARD_RULE(CC111) { judge_searches(scenario, facts, "CC111", "libdevice", findings); }

}  // namespace ptxguard
