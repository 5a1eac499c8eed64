// What is compiled in a stage, for which architectures, and by which toolkit.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "facts/facts.hpp"
#include "model/scenario.hpp"
#include "recipes/recipe.hpp"

namespace ptxguard::recipes {

// nvcc, cmake with CUDA, setup.py, and the lists of architectures among their options.
void add_command(const Command& command, RecipeFacts& recipe);
// The flags of a command that name architectures, with their values.
std::vector<Written> arch_flags(const Command& command);
// Requirements that exist as sources only and compile device code when they are installed.
void add_built_requirements(const PipInstall& step, const Facts& facts, RecipeFacts& recipe);
// TORCH_CUDA_ARCH_LIST and other lists. False: not such a variable.
bool add_arch_variable(const SetVariable& variable, RecipeFacts& recipe);

// A toolkit that a package or a module brings.
struct BroughtToolkit {
    std::string root;  // "/usr/local/cuda-12.4", "/opt/conda"
    Layout layout = Layout::nvidia;
    Known<Version> version;
    bool compiler = false, libraries = false;
    bool named = false;  // only by the folder of a variable or program; nothing in the recipe installs it
    Known<Version> cudnn;
};
// 12.4 of 12.4.1.
Known<Version> release_only(const Known<Version>& version);
// A folder whose name has the release: "/usr/local/cuda-12.1" of "/usr/local/cuda-12.1/bin/nvcc".
struct ReleaseFolder {
    std::string root;
    Version release;
};
std::optional<ReleaseFolder> release_folder(const std::string& path);
// CUDA_HOME, CUDACXX ...: its value is a toolkit's folder or nvcc.
bool selects_toolkit(const std::string& variable);
void add_apt(const AptInstall& step, std::vector<BroughtToolkit>& toolkits);
void add_conda(const CondaInstall& step, std::vector<BroughtToolkit>& toolkits);
void add_module(const Command& command, std::vector<BroughtToolkit>& toolkits);
void add_named(const SetVariable& variable, std::vector<BroughtToolkit>& toolkits);
void add_named(const Command& command, std::vector<BroughtToolkit>& toolkits);

}  // namespace ptxguard::recipes
