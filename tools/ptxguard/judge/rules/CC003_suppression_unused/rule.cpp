// CC003 suppression_unused: raised by suppress.cpp, the only code that has all findings; its cases run with
// all other rules.
// SPDX-License-Identifier: Apache-2.0
#include "judge/rule.hpp"

namespace ptxguard {

PTXGUARD_RULE(CC003) {}

}  // namespace ptxguard
