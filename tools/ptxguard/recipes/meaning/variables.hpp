// Variables of a recipe that select a toolkit or extend a search path.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "model/scenario.hpp"
#include "recipes/base/recipe.hpp"

namespace ptxguard::recipes {

// Whether anything depends on it: a recipe may set thousands, which every stage gets.
bool is_of_interest(const SetVariable& variable);
// It names the folder of a release that is not there; `here` is.
Selector missing_selector(const SetVariable& variable, const Version& here);
void add_variables(const std::vector<SetVariable>& variables, Scenario& scenario);

}  // namespace ptxguard::recipes
