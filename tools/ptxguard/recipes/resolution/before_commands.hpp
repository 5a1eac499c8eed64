// The packages that an image has before the first command of a recipe. Inner header of the room.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "recipes/resolution/refusals.hpp"
#include "recipes/resolution/resolution.hpp"

namespace ptxguard::recipes {

InstalledPackages packages_before(const Facts& facts, const BeforeCommands& before);

// torch and what belongs to it may be in an image that is not known, and a lock file that is not here decides
// the releases of poetry's set.
bool leaves_open(const BeforeCommands& before, const RecipePin& pin);
// An earlier command whose requirements are not here may have installed it.
bool may_be_there(const BeforeCommands& before, const RecipePin& pin);

// `known`: no other build may be taken.
void set_build(const Facts& facts, Installed& one, const std::string& build, bool known = true);

}  // namespace ptxguard::recipes
