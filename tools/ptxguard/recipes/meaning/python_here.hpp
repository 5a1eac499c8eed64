// The environment in which a recipe's markers are evaluated: its Python, system and machine, each known or
// open.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "facts/recipe_tables.hpp"
#include "model/recipe.hpp"
#include "python/marker.hpp"
#include "recipes/base/recipe.hpp"
#include "recipes/containers/images.hpp"

namespace ptxguard::recipes {

struct PythonHere {
    MarkerEnvironment markers;
    Origin origin;        // of its Python
    Origin platform;      // of the system or machine, where it is not the usual one
    bool is_new = false;  // of a conda that the recipe installs: none of the image's packages are in it
    std::vector<RefusedPin> refused;  // installers of conda that need a newer C library
    std::string likely;               // where `markers` does not have it: "3.10" of apt's python3.10
    std::string selects;              // where `markers` does not have it: that for which markers select
};
// `steps`: of one environment, in the stages of `line`, the first one first. `packaged`: the row of the
// image's distribution, may be null. `of_image`: it is the image's own Python, not an environment's.
PythonHere python_here(const std::vector<const Step*>& steps, const std::vector<const Stage*>& line,
                       const ImageContent& content, const DistributionToolkit* packaged, bool of_image,
                       const Facts& facts);
// NVIDIA's l4t images and those of dustynv.
bool is_for_jetson(const RecipeImage& image);
// requirements-mac.txt, install_macos.sh: for Macs, where nothing in it names a system.
void read_file_name(const Recipe& recipe, PythonHere& here);

}  // namespace ptxguard::recipes
