// Requirements of installed packages that what a later command has installed does not meet.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "facts/facts.hpp"
#include "model/recipe.hpp"
#include "python/marker.hpp"
#include "recipes/resolution/refusals.hpp"

namespace ptxguard::recipes {

// pip checks what it installs, not what an earlier command or the image has installed. Which torch a
// companion was built for is judged elsewhere. `here`: at the end. To the recipe's `broken`.
void find_broken_pins(const Facts& facts, const MarkerEnvironment& markers, const InstalledPackages& here,
                      RecipeFacts& recipe);

}  // namespace ptxguard::recipes
