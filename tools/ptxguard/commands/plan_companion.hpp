// A package with a release for each one of its framework, beside a build of that.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "commands/plan_wish.hpp"
#include "judge/plan.hpp"

namespace ptxguard {

// Whether the named release of the companion, or any, is for that build. True without a companion.
bool has_companion(const Wish& wish, const Step& build, const Facts& facts);
// The same wish with the words that install the companion beside that build.
Wish with_companion(const Wish& wish, const Step& build, const Facts& facts);

}  // namespace ptxguard
