// Files that are read as text for a shell or a build system: scripts of shells and Slurm, Makefiles,
// setup.py, setup.cfg, CMakeLists.txt, CMakePresets.json. Nothing is run.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "recipes/base/recipe.hpp"

namespace ptxguard::recipes {

Recipe read_script(RecipeKind kind, const std::string& file, std::string_view text, const ReadFile& files);
// Whether a script of that name is parsed once, however many commands read it; of a CMake file, whether what
// it selects is kept.
bool keeps_parsed(std::string_view file);
// One stage for each target that has commands: "target NAME".
struct Makefile : Recipe {
    std::string first;                                      // the target without a goal
    std::map<std::string, std::vector<std::string>> needs;  // of each target
};
// `given`: variables of the command that runs it: make CUDA=1.
Makefile read_makefile(const std::string& file, std::string_view text, const ReadFile& files,
                       const std::map<std::string, Written>& given = {});
// The command that builds with a script: the toolkit's release, if it is known, and its environment; null: no
// command is known.
struct ScriptBuild {
    std::optional<Version> cuda = {};
    std::function<const Written*(std::string_view name)> environment = {};
};
// The nvcc flags that its code makes, its extensions and variables, and its install_requires. Of a build.rs,
// the flags in its strings.
Recipe read_setup_script(const std::string& file, std::string_view text, const ReadFile& files = {},
                         const ScriptBuild& build = {});
// `given`: variables that the command which configures it sets, other options have their defaults; nothing:
// no command is known. `files`: of its folder, where its folders and included files count too. `cuda`: the
// toolkit's release, where it is known.
Recipe read_cmake_lists(const std::string& file, std::string_view text, const ReadFile& files = {},
                        const std::optional<std::map<std::string, std::string>>& given = {},
                        const std::optional<Version>& cuda = {});
// One stage for each configure preset that is not hidden.
Recipe read_cmake_presets(const std::string& file, std::string_view text);

}  // namespace ptxguard::recipes
