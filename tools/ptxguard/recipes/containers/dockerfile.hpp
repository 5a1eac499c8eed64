// Dockerfiles and Containerfiles, as BuildKit reads them. Nothing is run or downloaded.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

#include "recipes/base/docker_command.hpp"
#include "recipes/base/placed_text.hpp"
#include "recipes/base/recipe.hpp"

namespace ptxguard::recipes {

// `files` reads from the build context, the folder of the Dockerfile. `first`: position of the text in the
// file.
Recipe read_dockerfile(const std::string& file, std::string_view text, const ReadFile& files,
                       const BuildArguments& arguments = {}, Place first = {1, 1});

}  // namespace ptxguard::recipes
