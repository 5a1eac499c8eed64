// CC005 pair_undecided: raised by judge.cpp, the only code that has the findings of all rules; its cases run
// with all other rules.
// SPDX-License-Identifier: Apache-2.0
#include "judge/rule.hpp"

namespace ptxguard {

PTXGUARD_RULE(CC005) {}

}  // namespace ptxguard
