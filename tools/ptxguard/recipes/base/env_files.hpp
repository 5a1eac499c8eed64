// Files of NAME=VALUE lines: .env, env_file of compose, --env-file of docker, dotenv reports of GitLab.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "recipes/base/recipe.hpp"

namespace ptxguard::recipes {

// In their order, without quotes around the values.
std::vector<SetVariable> variables_in(const FileText& file);

}  // namespace ptxguard::recipes
