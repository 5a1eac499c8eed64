// What the commands of a recipe leave, as CC612 reports it.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "judge/rule.hpp"

namespace ptxguard {

// Pins that pip refuses together, and newest releases that do not fit what is pinned or what the image has.
// After the rule's other findings: what they are about is not said twice.
void judge_resolution(const Scenario& scenario, const Facts& facts, Findings& findings);

}  // namespace ptxguard
