// Lines of one file for several machines or Pythons: which of them are installed together.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <vector>

#include "model/recipe.hpp"
#include "python/marker.hpp"

namespace ptxguard::recipes {

// Of the pins from `first`, which are of one step, one environment is judged: the usual machine, with the
// Python that most of them are for. Others are left out where this environment has the same package or a
// framework that they never meet. Those of other Pythons come first: of a package, the last pin counts.
void choose_by_markers(const MarkerEnvironment& environment, std::vector<RecipePin>& pins, std::size_t first);

}  // namespace ptxguard::recipes
