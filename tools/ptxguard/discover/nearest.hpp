// A path that leads nowhere: why, and which existing folder was probably meant.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "host/host.hpp"

namespace ptxguard {

// "missing", "dangling" (a link to nothing), "loop" (of links), "unreadable"; empty for what is there.
std::string why_nowhere(const FileStatus& status);

// An existing folder that is spelt like the missing `path`: each component that is missing is replaced by the
// most similar one beside it. Empty where none is plausible. `known_folders` are compared as a whole where
// that fails.
std::string nearest_folder(const Host& host, const std::string& path,
                           const std::vector<std::string>& known_folders);

}  // namespace ptxguard
