// Compose files and devcontainer.json: images, and Dockerfiles with their build arguments.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

#include "recipes/interpret.hpp"

namespace ptxguard::recipes {

// The stages of each service's Dockerfile, with its `build.args`, or one stage for its image.
Recipe read_compose(const std::string& file, std::string_view text, const ReadFile& files);
Recipe read_devcontainer(const std::string& file, std::string_view text, const ReadFile& files);

}  // namespace ptxguard::recipes
