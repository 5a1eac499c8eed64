// Markers with a value as another system spells it: `platform_machine == 'x86_64'` is false on Windows, where
// it is 'AMD64', and so selects the build for CPUs there.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "model/recipe.hpp"
#include "recipes/base/recipe.hpp"

namespace ptxguard::recipes {

// Those of torch. Each slip is proved: with the right spelling the same markers select a build for CUDA.
std::vector<MarkerSlip> marker_slips(const PipInstall& step);

}  // namespace ptxguard::recipes
