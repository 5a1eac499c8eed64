// CC005 pair_undecided: raised by judge.cpp, which alone knows what the rules have told; its cases run with
// all the others.
// SPDX-License-Identifier: Apache-2.0
#include "judge/rule.hpp"

namespace ptxguard {

PTXGUARD_RULE(CC005) {}

}  // namespace ptxguard
