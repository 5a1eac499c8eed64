// Requirements that pip builds from their sources, with device code.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "facts/facts.hpp"
#include "model/scenario.hpp"
#include "recipes/base/recipe.hpp"

namespace ptxguard::recipes {

// Requirements that only exist as sources and compile device code when they are installed.
// `group`: of the command, as in RecipePin.
void add_built_requirements(const PipInstall& step, int group, const Facts& facts, RecipeFacts& recipe);

}  // namespace ptxguard::recipes
