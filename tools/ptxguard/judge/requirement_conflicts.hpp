// Pins of a recipe compared with the requirements of its frameworks' wheels.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "judge/rule.hpp"

namespace ptxguard {

// Two pins of one command, one of which requires another release of the other, or which require different
// releases: pip installs neither. A requirements file may be one of several that are never installed
// together.
Finding& add_no_set(const RecipeFacts& recipe, const std::string& subject, std::string message,
                    Findings& findings);

// Packages pinned to other releases than a framework's wheel requires, and two frameworks that require
// different ones (CC612). Only for PyPI's default builds, whose metadata the tables contain.
void judge_requirements(const Scenario& scenario, const Facts& facts, Findings& findings);

}  // namespace ptxguard
