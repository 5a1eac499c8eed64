// The meaning of recipes: for each stage that runs or compiles something, the scenario that its steps create.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "facts/facts.hpp"
#include "model/scenario.hpp"
#include "recipes/base/recipe.hpp"

namespace ptxguard::recipes {

// Stages that share many steps cost the product of both: if the budget ends, the other scenarios are missing.
std::vector<Scenario> scenarios_of(const std::vector<Recipe>& recipes, const Facts& facts, Budget& budget);
std::vector<Scenario> scenarios_of(const std::vector<Recipe>& recipes, const Facts& facts);

}  // namespace ptxguard::recipes
