// Folders that a site-packages folder adds to sys.path: *.pth files, editable installs, egg-links,
// direct_url.json.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "expect/expect.hpp"

namespace ptxguard {

// The folder itself first, then what it adds; as site.py, folders added here are not searched for further
// .pth files.
std::vector<SitePlace> with_added_paths(const Host& host, const std::vector<std::string>& folders);

}  // namespace ptxguard
