// The toolkits that packages install, modules load, and variables or programs name.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "model/scenario.hpp"
#include "recipes/base/recipe.hpp"

namespace ptxguard::recipes {

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
// The names that downloads give to NVIDIA's installers: "cuda.run" -> "cuda_12.4.1_550.54.15_linux.run".
using RunfileNames = std::map<std::string, std::string>;
void add_runfile(const Command& command, RunfileNames& names, std::vector<BroughtToolkit>& toolkits);
void add_windows_installer(const Command& command, std::vector<BroughtToolkit>& toolkits);
// curl -O .../libcudnn8_8.2.4.15-1+cuda11.4_amd64.deb: a package file that is named, for dpkg.
void add_deb(const Command& command, std::vector<BroughtToolkit>& toolkits);
void add_module(const Command& command, std::vector<BroughtToolkit>& toolkits);
void add_named(const SetVariable& variable, std::vector<BroughtToolkit>& toolkits);
void add_named(const Command& command, std::vector<BroughtToolkit>& toolkits);

}  // namespace ptxguard::recipes
