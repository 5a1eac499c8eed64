// Which configuration counts where nobody names one. It may be a stranger's: that of a repository just cloned, or one
// that somebody left in a folder above.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "host/host.hpp"

namespace ptxguard {

struct NearestConfiguration {
    std::string path, text;            // empty = there is none
    std::vector<Trouble> passed_over;  // those that another user may have written
};

// The nearest ptxguard.toml, or pyproject.toml with our table, from the folder `start` up to the root of the
// repository, the home folder or a folder that others may write. One that is there and cannot be read is trouble.
Result<NearestConfiguration> nearest_configuration(
    const Host& machine, const std::string& start,
    const std::function<own::Author(const std::string& path)>& author_of);

}  // namespace ptxguard
