// conda's recipes: meta.yaml (conda-build) and recipe.yaml (rattler-build).
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

#include "recipes/base/recipe.hpp"

namespace ptxguard::recipes {

// Two stages for the recipe and for each of its outputs: its build environment (requirements build and host;
// not `last`) and what is installed with it (run).
Recipe read_conda_recipe(const std::string& file, std::string_view text, const ReadFile& files);

}  // namespace ptxguard::recipes
