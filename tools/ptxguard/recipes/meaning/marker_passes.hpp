// The environments that the markers of a stage's requirements tell apart. Inner header of the room.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "model/recipe.hpp"
#include "python/marker.hpp"
#include "recipes/meaning/environments.hpp"
#include "recipes/meaning/python_here.hpp"

namespace ptxguard::recipes {

struct MarkerPass {
    std::string system, machine;  // as in MarkerEnvironment
    std::string python;           // empty = any
    std::vector<Origin> own_lines;

    std::string name() const;  // "Windows", "Linux on ARM, Python 3.9"
    void fill(PythonHere& here) const;
};
// Those with lines that neither `judged`, the recipe in the environment `here`, nor an earlier one of them
// selects. `any_system`: the file names none, and users of each may install it.
std::vector<MarkerPass> marker_passes(const Environments::Steps& steps, const MarkerEnvironment& here,
                                      const RecipeFacts& judged, bool any_system);

}  // namespace ptxguard::recipes
