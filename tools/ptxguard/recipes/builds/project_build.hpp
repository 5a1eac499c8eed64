// What a command builds, by the files of its project: whether anything is compiled, and whether by torch's
// builder or with its CMake files, which read TORCH_CUDA_ARCH_LIST. Nothing is run.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "recipes/base/recipe.hpp"

namespace ptxguard::recipes {

// Of all `projects`, the most that one of them may be.
ProjectBuild build_of_projects(const PipInstall& install, const ReadFile& files);
// `python setup.py`, `python -m build`, `uv build`, cmake, make, a Python script.
ProjectBuild build_of_command(const Command& command, const ReadFile& files);
// Whether a command builds a Python project of the folder that it runs in: `python -m build`, `uv build`.
bool builds_python_project(const Command& command);

}  // namespace ptxguard::recipes
