// What the files of a built project say of its device code, architectures above all: setup.py of
// `pip install PATH` and `python setup.py`, the Makefile of `make`, CMakeLists.txt and presets of `cmake`.
// Nothing is run.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "recipes/recipe.hpp"

namespace ptxguard::recipes {

// Steps that name architectures, and CUDAExtension of a setup.py. Empty where the project's files are not
// there, and where a condition decides. Paths start at the folder in which the command runs.
std::vector<Step> device_code_of_project(const Command& command, const ReadFile& files);
std::vector<Step> device_code_of_projects(const PipInstall& install, const ReadFile& files);

}  // namespace ptxguard::recipes
