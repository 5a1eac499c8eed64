// Python projects that a command builds: the steps of their setup.py, pyproject.toml and CMake files. Inner
// header of the room.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "recipes/base/inherited.hpp"

namespace ptxguard::recipes {

// `settings`: the command's -C, "cmake.define.NAME=VALUE"; `by` names the folder, or is the command.
void add_python_project(const std::string& folder, const Written& by, const std::vector<Written>& settings,
                        const ReadFile& files, const Inherited& inherited, std::vector<Step>& steps);
// The values of -C, --config-setting and --config-settings.
std::vector<Written> config_settings_in(const std::vector<Written>& words);
// `python -m build [FOLDER]`, `uv build`, but not cibuildwheel, which builds elsewhere.
void add_built_python_project(const Command& command, const ReadFile& files, const Inherited& inherited,
                              std::vector<Step>& steps);

}  // namespace ptxguard::recipes
