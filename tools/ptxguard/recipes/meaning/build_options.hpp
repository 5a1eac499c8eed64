// Variables and options of CMake that turn CUDA on, and that the release which is built does not read.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "facts/facts.hpp"
#include "model/scenario.hpp"
#include "recipes/base/recipe.hpp"

namespace ptxguard::recipes {

void add_unread_options(const Command& command, const Facts& facts, RecipeFacts& recipe);
void add_unread_options(const PipInstall& step, const Facts& facts, RecipeFacts& recipe);

}  // namespace ptxguard::recipes
