// CC001 rule_could_not_run: raised by judge.cpp, which catches exceptions of rules; its cases run with all
// other rules.
// SPDX-License-Identifier: Apache-2.0
#include "judge/rule.hpp"

namespace ptxguard {

PTXGUARD_RULE(CC001) {}

}  // namespace ptxguard
