// Files beside a Dockerfile that complete it: the Dockerfile of its base image, and values of its arguments.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <optional>
#include <string>

#include "recipes/base/recipe.hpp"

namespace ptxguard::recipes {

// Of an image with a name of the project's own: for "me/app-base" base.Dockerfile, Dockerfile.base,
// base/Dockerfile.
std::optional<FileText> dockerfile_of_image(const Written& image, const ReadFile& files,
                                            const std::string& own_file);

// NAME=VALUE lines of config.txt, .env and similar files, from which build scripts take arguments. Each value
// is one that others override.
std::map<std::string, Written> arguments_beside(const ReadFile& files, const Written& by);

}  // namespace ptxguard::recipes
