// Pins of a recipe beside what the wheels of its frameworks require.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "judge/rule.hpp"

namespace ptxguard {

// Two pins of one command of which one requires another release of the other, or that require different ones:
// pip installs neither. A requirements file may be one of several that are never installed together.
Finding& add_no_set(const RecipeFacts& recipe, const RecipePin& subject, std::string message,
                    Findings& findings);

// Packages that are pinned to other releases than a framework's wheel requires, and two frameworks that
// require different ones (CC612). Only where PyPI's default build is installed, whose metadata the tables
// have.
void judge_requirements(const Scenario& scenario, const Facts& facts, Findings& findings);

}  // namespace ptxguard
