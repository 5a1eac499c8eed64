// A project whose requirements are in setup.py and setup.cfg, where a command installs its folder.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "formats/tree.hpp"
#include "recipes/base/recipe.hpp"

namespace ptxguard::recipes {

// A pyproject.toml with settings of tools only, or with dependencies that setup.py determines.
bool is_left_to_setuptools(const Tree& pyproject);

// Its requirements with these extras, and the Python that it requires. `project`: the text that names it.
void add_setuptools_project(const std::string& folder, const Written& project, const ReadFile& files,
                            const std::vector<std::string>& extras, PipInstall& into);

}  // namespace ptxguard::recipes
