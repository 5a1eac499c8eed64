// The architectures that a pyproject.toml passes to the build of its extensions: scikit-build-core's
// definitions and arguments of CMake, the environment of cibuildwheel.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "formats/tree.hpp"
#include "model/result.hpp"
#include "recipes/recipe.hpp"

namespace ptxguard::recipes {

Result<Tree> tree_of_pyproject(std::string_view text, const std::string& file);
// What its builds require, as a stage of the recipe.
void add_build_requirements(const Tree& pyproject, Recipe& recipe);
// As a stage of the recipe.
void add_build_settings(const Tree& pyproject, Recipe& recipe);
// Those of scikit-build-core only, for a command that builds the project.
std::vector<Step> cmake_settings_of(const std::string& file, std::string_view text);

}  // namespace ptxguard::recipes
