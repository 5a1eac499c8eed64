// Lock files of Python's package managers: uv.lock, poetry.lock, pdm.lock, pylock.toml.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "recipes/base/inherited.hpp"

namespace ptxguard::recipes {

// One stage with every package and its version. If the file has a package in several versions, for several
// platforms or extras, each is an alternative (`whole.fixed` is false). Without what the pyproject.toml
// beside it has changed since: uv locks that again before it installs.
Recipe read_lock_file(const std::string& file, std::string_view text, const ReadFile& files = {});

// The requirements from `first`, with the version in the lock file, if it has only one. uv and pdm lock again
// what a changed requirement excludes, except for uv sync --frozen.
void pin_by_lock(const FileText& lock, PipInstall& install, std::size_t first, Problems& problems);

// Whether the content of a file with that name is kept for the next command that reads it.
bool keeps_content(std::string_view file);

}  // namespace ptxguard::recipes
