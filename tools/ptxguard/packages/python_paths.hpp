// Folders that a site-packages folder adds to sys.path: *.pth files, editable installs, egg-links,
// direct_url.json.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "host/host.hpp"

namespace ptxguard {

// A folder to search.
struct SitePlace {
    std::string folder;                     // site-packages, a source tree, a libtorch root
    bool editable = false;                  // reached through an editable install
    std::vector<std::string> records = {};  // canonical names of the packages that have a record in it
};

// The folder itself first, then what it adds; as site.py, folders added here are not searched for further
// .pth files.
std::vector<SitePlace> with_added_paths(const Host& host, const std::vector<std::string>& folders);

}  // namespace ptxguard
