// Names of container images -> what is in them. Only images whose names or tables say so; others are unknown.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "facts/recipe_tables.hpp"
#include "model/scenario.hpp"
#include "recipes/recipe.hpp"

namespace ptxguard::recipes {

// A framework that an image brings: "torch==2.3.1+cu121", as --framework takes it.
struct ImageContent {
    RecipeImage image;
    std::string framework;
    bool own_libraries = false;  // CUDA's libraries in it are on the loader's path, for other programs too
    bool known = false;          // the image's name is one that this file knows
};

Origin origin_of(const Written& written);
// The CUDA of the package nvidia-cuda-toolkit of an image's or runner's system: "ubuntu:22.04",
// "3.11-slim-bookworm", "ubuntu-22.04"; null where its name tells of none.
const DistributionToolkit* distribution_toolkit(const RecipeImage& image, const std::string& platform,
                                                const Facts& facts);
ImageContent content_of(const Written& image, const Facts& facts);

}  // namespace ptxguard::recipes
