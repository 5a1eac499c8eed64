// Compose files and devcontainer.json: images, and Dockerfiles with their build arguments.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "recipes/base/inherited.hpp"

namespace ptxguard::recipes {

// The stages of each service's Dockerfile, with its `build.args`, or one stage for its image.
Recipe read_compose(const std::string& file, std::string_view text, const ReadFile& files);
// The same as `docker compose` reads it in a job: `environment` overrides the .env file. `services`: only
// these; empty = all.
Recipe read_compose(const std::string& file, std::string_view text, const ReadFile& files,
                    const std::map<std::string, Written>& environment,
                    const std::vector<std::string>& services);
Recipe read_devcontainer(const std::string& file, std::string_view text, const ReadFile& files);

}  // namespace ptxguard::recipes
