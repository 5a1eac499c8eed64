// The extras and groups of a project that `uv sync` installs, and those that exclude each other.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "formats/tree.hpp"
#include "recipes/base/recipe.hpp"

namespace ptxguard::recipes {

// Whether [tool.uv] conflicts excludes the extra or group beside another one.
bool excludes_others(const Tree& root, const std::string& part);
// From the pyproject.toml `root` in `file`: appends to `names` those of `install.parts` that no option names
// (--all-extras, --all-groups, default groups), and sets `install.excluded`.
void choose_uv_parts(const Tree& root, const std::string& file, PipInstall& install,
                     std::vector<std::string>& names);

}  // namespace ptxguard::recipes
