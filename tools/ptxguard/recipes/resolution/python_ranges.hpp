// The Pythons that a project admits, and those that its requirements have files for.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "facts/facts.hpp"
#include "model/recipe.hpp"
#include "recipes/base/recipe.hpp"

namespace ptxguard::recipes {

// Requirements of a pyproject.toml that exclude a Python of its requires-python. uv and poetry search a set
// for all of them and find none; pip installs for one of them.
void refuse_pythons(const PipInstall& install, int group, const Facts& facts, RecipeFacts& recipe);

}  // namespace ptxguard::recipes
