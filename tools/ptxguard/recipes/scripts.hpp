// Files that are read as text for a shell or a build system: scripts of shells and Slurm, Makefiles,
// setup.py, setup.cfg, CMakeLists.txt, CMakePresets.json. Nothing is run.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "formats/cmake_commands.hpp"
#include "recipes/recipe.hpp"

namespace ptxguard::recipes {

Recipe read_script(RecipeKind kind, const std::string& file, std::string_view text, const ReadFile& files);
// One stage for each target that has commands: "target NAME".
struct Makefile : Recipe {
    std::string first;                                      // the target without a goal
    std::map<std::string, std::vector<std::string>> needs;  // of each target
};
// `given`: variables of the command that runs it: make CUDA=1.
Makefile read_makefile(const std::string& file, std::string_view text, const ReadFile& files,
                       const std::map<std::string, Written>& given = {});
// The nvcc flags in its strings, and its install_requires. The Python code is not followed. A build.rs has
// the same strings.
Recipe read_setup_script(const std::string& file, std::string_view text);
// Its python_requires, if that is a string literal.
Written python_of_setup_script(const std::string& file, std::string_view text);
// `given`: variables that the command which configures it sets. `files`: of its folder, where its literal
// folders and included files count too.
Recipe read_cmake_lists(const std::string& file, std::string_view text, const ReadFile& files = {},
                        const std::vector<std::string>& given = {});
// What one command sets, without the values of variables.
std::vector<Step> steps_of_cmake(const std::string& file, const CMakeCommand& command);
// One stage for each configure preset that is not hidden.
Recipe read_cmake_presets(const std::string& file, std::string_view text);

}  // namespace ptxguard::recipes
