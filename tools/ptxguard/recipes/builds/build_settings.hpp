// What a pyproject.toml passes to the build of its extensions: the definitions and arguments of CMake of
// scikit-build-core and py-build-cmake, the environment of cibuildwheel.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "formats/tree.hpp"
#include "model/result.hpp"
#include "recipes/base/recipe.hpp"

namespace ptxguard::recipes {

Result<Tree> tree_of_pyproject(std::string_view text, const std::string& file);
// What its builds require, as a stage of the recipe.
void add_build_requirements(const Tree& pyproject, Recipe& recipe);
// As a stage of the recipe.
void add_build_settings(const Tree& pyproject, Recipe& recipe);
// Of the project with that pyproject.toml; unknown without a table, or with a backend of its own.
BuildTorch build_torch_of(const std::string& file, std::string_view text);

// Variables of CMake and their values.
std::map<std::string, std::string> cmake_definitions_of(const Tree& pyproject);
// The architectures among them, for a command that builds the project.
std::vector<Step> cmake_settings_of(const std::string& file, std::string_view text);

}  // namespace ptxguard::recipes
