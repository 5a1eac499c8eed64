// docker-bake.hcl: the images that `docker buildx bake` builds.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

#include "recipes/base/recipe.hpp"

namespace ptxguard::recipes {

// One stage for each target, with the `docker build` that it stands for.
Recipe read_bake_file(const std::string& file, std::string_view text);

}  // namespace ptxguard::recipes
