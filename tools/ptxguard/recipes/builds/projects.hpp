// What the files of a built project contain about its device code, mainly architectures: setup.py for `pip
// install PATH` and `python setup.py`, the Makefile for `make`, CMakeLists.txt and presets for `cmake`.
// Nothing is run.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <vector>

#include "recipes/base/inherited.hpp"

namespace ptxguard::recipes {

// Steps that select architectures, and CUDAExtension of a setup.py. Empty if the project's files are missing,
// or if a condition decides. Paths start at the folder in which the command runs. `inherited` names the
// toolkit's release, which conditions of CMake files compare.
std::vector<Step> device_code_of_project(const Command& command, const ReadFile& files,
                                         const Inherited& inherited);
std::vector<Step> device_code_of_projects(const PipInstall& install, const ReadFile& files,
                                          const Inherited& inherited);

// Whether that command of CMake configures a project.
bool configures(const Command& command);

// The folder in which `make` runs, as written; empty = the working folder.
std::string folder_of_make(const Command& command);

// A project that pip builds in a repository which the recipe clones; nothing for others.
std::optional<WrittenRequirement> cloned_project(const Written& project, const Inherited& inherited);
// The same for `python setup.py install`, as pip's step.
std::optional<PipInstall> cloned_setup(const Command& command, const Inherited& inherited);

}  // namespace ptxguard::recipes
