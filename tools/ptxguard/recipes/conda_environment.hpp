// conda's environment files: environment.yml, conda-lock.yml, and lists that `conda list --explicit` writes.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

#include "recipes/interpret.hpp"

namespace ptxguard::recipes {

// One stage; of a lock file, one for each platform. `files` reads what the `pip:` list names.
Recipe read_conda_environment(const std::string& file, std::string_view text, const ReadFile& files);

// The specs of a list, one a line: `conda install --file`.
void read_spec_list(const FileText& file, CondaInstall& install);

}  // namespace ptxguard::recipes
