// Variables of a recipe that select a toolkit or extend a search path.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "model/scenario.hpp"
#include "recipes/recipe.hpp"

namespace ptxguard::recipes {

void add_variables(const std::vector<SetVariable>& variables, Scenario& scenario);

}  // namespace ptxguard::recipes
