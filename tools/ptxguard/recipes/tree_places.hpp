// Values of a tree as recipes use them.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "formats/tree.hpp"
#include "recipes/recipe.hpp"

namespace ptxguard::recipes {

Written written(const Tree& value, const std::string& file);
// A text for a shell, its line breaks as in the file.
Written shell_text(const Tree& value, const std::string& file);

}  // namespace ptxguard::recipes
