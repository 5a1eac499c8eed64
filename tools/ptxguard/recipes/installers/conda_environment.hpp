// conda's environment files: environment.yml, conda-lock.yml, and the output of `conda list`.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

#include "recipes/base/inherited.hpp"

namespace ptxguard::recipes {

// One stage; for a lock file, one per platform. `files` reads files in the `pip:` list.
Recipe read_conda_environment(const std::string& file, std::string_view text, const ReadFile& files);

// `conda list --explicit` and `--export`: what is installed, one package per line, those of pip among them.
// The second one is often saved as requirements.txt, and then its first line is "name=release=build".
Recipe read_conda_list(const std::string& file, std::string_view text);
bool is_list_of_conda(std::string_view text);

// The specs of a list, one per line: `conda install --file`.
void read_spec_list(const FileText& file, CondaInstall& install);

// Keeps the first of equal names, and none without letters.
void drop_repeated(std::vector<std::string>& names);

}  // namespace ptxguard::recipes
