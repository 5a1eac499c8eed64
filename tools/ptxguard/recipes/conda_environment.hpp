// conda's environment files: environment.yml, conda-lock.yml, and the output of `conda list --explicit`.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

#include "recipes/interpret.hpp"

namespace ptxguard::recipes {

// One stage; for a lock file, one per platform. `files` reads files in the `pip:` list.
Recipe read_conda_environment(const std::string& file, std::string_view text, const ReadFile& files);

// The specs of a list, one per line: `conda install --file`.
void read_spec_list(const FileText& file, CondaInstall& install);

// Keeps the first of equal names, and none without letters.
void drop_repeated(std::vector<std::string>& names);

}  // namespace ptxguard::recipes
