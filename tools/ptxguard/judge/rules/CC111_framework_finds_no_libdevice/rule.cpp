// CC111 framework_finds_no_libdevice: a framework that compiles for GPUs at run time searches its own list of
// places for libdevice and finds none that it accepts.
// SPDX-License-Identifier: Apache-2.0
#include "judge/search_questions.hpp"

namespace ptxguard {

PTXGUARD_RULE(CC111) { judge_searches(scenario, facts, "CC111", "libdevice", findings); }

}  // namespace ptxguard
