// Which build of a framework conda takes: for which CUDA, or for CPUs.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "facts/facts.hpp"
#include "model/recipe.hpp"

namespace ptxguard::recipes {

// What selects the CUDA of conda's PyTorch: its build, pytorch-cuda, cuda-version, and cudatoolkit before
// 1.13.
Known<Version> cuda_of_conda(const RecipeFacts& recipe, const RecipePin& torch);
// The releases of the channel pytorch, which ended, for the CUDA that the command selects: one of them is
// what a pytorch without a version gets. Empty for other packages and channels.
std::vector<Version> builds_of_channel(const Facts& facts, const RecipeFacts& recipe, const RecipePin& pin);
// The last of them for that Python.
Known<Version> last_of_channel(const Facts& facts, const RecipeFacts& recipe, const std::string& python,
                               const RecipePin& pin);
// conda-forge's builds with CUDA require a driver. While an image is built there is none, and pixi assumes
// none: the solver then takes the build for CPUs, unless the recipe names a driver or a build.
bool is_solved_for_cpus(const Facts& facts, const RecipeFacts& recipe, const RecipePin& pin);

}  // namespace ptxguard::recipes
