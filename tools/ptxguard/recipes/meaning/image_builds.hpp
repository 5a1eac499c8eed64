// Versions and builds that only an image's own pip and packages have. Inner header of the room.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "facts/facts.hpp"
#include "facts/recipe_tables.hpp"
#include "model/recipe.hpp"

namespace ptxguard::recipes {

// Up to 24.0, pip accepts versions that are none by PEP 440; so does that of these systems and images.
bool has_old_pip(const RecipeImage& image, const DistributionToolkit* packaged, const RecipeFacts& recipe);
// mmcv-full==latest+torch1.6.0+cu101
void accept_old_versions(RecipeFacts& recipe);
// Lines of a `pip freeze` of its image, which has them: nvidia-nvjpeg-cu13==0.0.0a0,
// torchvision==0.17.2+c1d70fe.
void keep_own_builds(const RecipeImage& image, const Facts& facts, RecipeFacts& recipe);

}  // namespace ptxguard::recipes
