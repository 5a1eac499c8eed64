// Justfiles: variables, and the commands of each recipe as passed to its shell.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

#include "recipes/base/recipe.hpp"

namespace ptxguard::recipes {

// One stage for each recipe that has commands.
Recipe read_justfile(const std::string& file, std::string_view text, const ReadFile& files);

}  // namespace ptxguard::recipes
