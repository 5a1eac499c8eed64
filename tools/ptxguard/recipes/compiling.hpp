// What is compiled in a stage, for which architectures, and with which toolkit.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "facts/facts.hpp"
#include "model/scenario.hpp"
#include "recipes/recipe.hpp"

namespace ptxguard::recipes {

// nvcc, cmake with CUDA, setup.py, and the architecture lists in their options.
void add_command(const Command& command, RecipeFacts& recipe);
// Whether it builds a program, of whatever language.
bool compiles_programs(const Command& command);
// The flags of a command that select architectures, with their values.
std::vector<Written> arch_flags(const Command& command);
// Requirements that only exist as sources and compile device code when they are installed.
// `group`: of the command, as in RecipePin.
void add_built_requirements(const PipInstall& step, int group, const Facts& facts, RecipeFacts& recipe);
// Options that turn CUDA on, and that what is built does not read (build_options.cpp).
void add_unread_options(const Command& command, const Facts& facts, RecipeFacts& recipe);
void add_unread_options(const PipInstall& step, const Facts& facts, RecipeFacts& recipe);
// TORCH_CUDA_ARCH_LIST and other lists.
bool is_arch_variable(std::string_view name);
// False: not such a variable.
bool add_arch_variable(const SetVariable& variable, RecipeFacts& recipe);

// A toolkit installed by a package or selected by a module.
struct BroughtToolkit {
    std::string root;  // "/usr/local/cuda-12.4", "/opt/conda"
    Layout layout = Layout::nvidia;
    Known<Version> version;
    bool compiler = false, libraries = false;
    bool named = false;  // only the folder of a variable or program: nothing in the recipe installs it
    Known<Version> cudnn;
};
// 12.4 for 12.4.1.
Known<Version> release_only(const Known<Version>& version);
// A folder with the release in its name: "/usr/local/cuda-12.1" in "/usr/local/cuda-12.1/bin/nvcc".
struct ReleaseFolder {
    std::string root;
    Version release;
};
std::optional<ReleaseFolder> release_folder(const std::string& path);
// Whether the value is a toolkit's folder or nvcc: CUDA_HOME, CUDACXX ...
bool selects_toolkit(const std::string& variable);
void add_apt(const AptInstall& step, std::vector<BroughtToolkit>& toolkits);
void add_conda(const CondaInstall& step, std::vector<BroughtToolkit>& toolkits);
void add_runfile(const Command& command, std::vector<BroughtToolkit>& toolkits);
void add_windows_installer(const Command& command, std::vector<BroughtToolkit>& toolkits);
// curl -O .../libcudnn8_8.2.4.15-1+cuda11.4_amd64.deb: a package file that is named, for dpkg.
void add_deb(const Command& command, std::vector<BroughtToolkit>& toolkits);
void add_module(const Command& command, std::vector<BroughtToolkit>& toolkits);
void add_named(const SetVariable& variable, std::vector<BroughtToolkit>& toolkits);
void add_named(const Command& command, std::vector<BroughtToolkit>& toolkits);
// TORCH_CUDA_ARCH_LIST has no effect where nothing that is compiled reads it.
void drop_unread_archs(RecipeFacts& recipe);

}  // namespace ptxguard::recipes
