// Requirements files that `uv export` and `uv pip compile` write: the releases of a project, without the
// indexes of its pyproject.toml. Inner header of the room.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

#include "recipes/base/recipe.hpp"

namespace ptxguard::recipes {

// Adds the indexes of the pyproject.toml beside such a file, or in the folder above it.
void add_indexes_of_project(std::string_view text, const ReadFile& files, PipInstall& install);

// Of X.in beside an X.txt that was compiled of it: the options of that command, which the top of X.txt
// quotes.
void add_compile_options(const std::string& file, const ReadFile& files, PipInstall& install);

}  // namespace ptxguard::recipes
