// Pipfile and Pipfile.lock. pipenv gets a package from the first source, unless the package has another.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

#include "recipes/base/recipe.hpp"

namespace ptxguard::recipes {

Recipe read_pipfile(const std::string& file, std::string_view text);
Recipe read_pipfile_lock(const std::string& file, std::string_view text);

}  // namespace ptxguard::recipes
