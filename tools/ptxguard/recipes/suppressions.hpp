// "# ptxguard: ignore=CC602 reason" in a recipe.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "model/finding.hpp"
#include "recipes/recipe.hpp"

namespace ptxguard::recipes {

// Behind something, the comment counts for its line. In a line of its own it counts for the next line and
// those that continue it. Several codes are separated by commas. One without a reason becomes a problem and
// suppresses nothing.
std::vector<Suppression> read_suppressions(const std::string& file, std::string_view text,
                                           std::vector<Recipe::Problem>& problems);

}  // namespace ptxguard::recipes
