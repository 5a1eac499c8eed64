// Who reads the variables that list architectures: the command that compiles, with the values that it gets.
// Inner header of the room.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "model/scenario.hpp"
#include "recipes/base/recipe.hpp"

namespace ptxguard::recipes {

// `first`: of the steps that compile, the first one of this command.
void add_read_lists(const PipInstall& step, std::size_t first, RecipeFacts& recipe);
void add_read_lists(const Command& step, RecipeFacts& recipe);
// An image sets them for those that start from it, if nothing is compiled in it.
void add_unread_lists(const SharedMap<Written>& lists, RecipeFacts& recipe);
// Whether the commands of such a file get the variables that it sets: other files are read by what they
// build.
bool runs_commands(const RecipeFacts& recipe);

}  // namespace ptxguard::recipes
