// Lines of one file for several machines or Pythons: which of them are installed together.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "model/recipe.hpp"
#include "python/marker.hpp"

namespace ptxguard::recipes {

// The environments that a known part leaves open: the usual machine's first, with the newest Python before
// older ones.
std::vector<MarkerEnvironment> possible_environments(const MarkerEnvironment& known);

// Of the pins from `first`, which are of one step, one environment is judged: the usual machine, with the
// Python `python`, or, if it is empty, with that of most of them.
void choose_by_markers(const MarkerEnvironment& environment, const std::string& python,
                       std::vector<RecipePin>& pins, std::size_t first);

}  // namespace ptxguard::recipes
