// The Python whose packages count. It is found once (packages/python.hpp) and asked by all that look into
// packages.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

namespace ptxguard {

// A folder from which Python imports.
struct SitePlace {
    std::string folder;                     // site-packages, a source tree, a libtorch root
    bool editable = false;                  // reached through an editable install
    std::vector<std::string> records = {};  // canonical names of the packages that have a record in it
};

struct PythonEnvironment {
    std::string path;     // interpreter, environment or folder as named, absolute; empty = none found
    std::string because;  // "--python", "VIRTUAL_ENV", "PATH (VIRTUAL_ENV names no Python: /gone)"
    std::string prefix;   // empty for a mere folder of packages, and in a build that pip isolates
    std::string version;  // "3.11", "3.13t"; empty = nothing says which
    std::vector<SitePlace> places;  // in the order of sys.path
};

}  // namespace ptxguard
