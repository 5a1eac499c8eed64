// For a path that does not exist: why, and which existing folder was probably meant.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "host/host.hpp"

namespace ptxguard {

// "missing", "dangling" (symlink), "loop" (of symlinks), "unreadable"; empty if the path exists.
PathProblem why_nowhere(const FileStatus& status);

// An existing folder with a similar name to the missing `path`: each missing component is replaced by the
// most similar sibling. Empty if none is plausible. If that fails, `known_folders` are compared as a whole.
std::string nearest_folder(const Host& host, const std::string& path,
                           const std::vector<std::string>& known_folders);

}  // namespace ptxguard
