// The configuration file to use if none is named. It may be a stranger's: from a repository just cloned, or
// left in a folder above by somebody.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "host/host.hpp"

namespace ptxguard {

struct NearestConfiguration {
    std::string path, text;            // empty = none
    std::vector<Trouble> passed_over;  // files that another user may have written
};

// The nearest ptxguard.toml, or pyproject.toml with our table, from the folder `start` up to the root of the
// repository, the home folder or a folder that others may write. An error if it exists but cannot be read.
Result<NearestConfiguration> nearest_configuration(
    const Host& machine, const std::string& start,
    const std::function<own::Author(const std::string& path)>& author_of);

}  // namespace ptxguard
