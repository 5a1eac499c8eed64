// Values of a tree in the form that recipes need.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "formats/tree.hpp"
#include "recipes/base/recipe.hpp"

namespace ptxguard::recipes {

Written written(const Tree& value, const std::string& file);
// Text for a shell, with the file's line breaks.
Written shell_text(const Tree& value, const std::string& file);

}  // namespace ptxguard::recipes
