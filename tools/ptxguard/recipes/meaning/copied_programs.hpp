// Programs that a stage copies from another one: they need the libraries of the CUDA with which that compiles
// them.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "facts/facts.hpp"
#include "model/recipe.hpp"
#include "recipes/meaning/stages.hpp"

namespace ptxguard::recipes {

void add_copied_programs(const Stages& stages, const Environments::Steps& steps, const Facts& facts,
                         RecipeFacts& recipe);

}  // namespace ptxguard::recipes
