// CC003 suppression_unused: raised by suppress.cpp, which alone knows all findings; its cases run with all
// the others.
// SPDX-License-Identifier: Apache-2.0
#include "judge/rule.hpp"

namespace ptxguard {

PTXGUARD_RULE(CC003) {}

}  // namespace ptxguard
