// Libraries that a Python package loads by path when it is imported, before its own. Inner header.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "facts/libraries.hpp"
#include "host/host.hpp"
#include "load/later_names.hpp"

namespace ptxguard {

struct PackagePreload {
    std::string path, package, pattern;
    bool only_after_failure = false;
    // Names that the loader is asked for before this path; if it finds one, this path is not loaded.
    std::vector<std::string> unless_found;
    bool is_find = false;     // found by the package named
    bool only_asked = false;  // applies only if something in the process needs a library of this name ...
    std::string with;         // ... or of the name of the library that it is loaded with
};

// In the order in which the package of the file at `path` loads them; of each pattern the first existing
// file.
std::vector<PackagePreload> package_preloads(const Host& host, const Facts& facts, const std::string& path,
                                             const std::vector<std::string>& site_packages);

// What a process has loaded before an extension of a package.
struct PackageLender {
    std::string package;
    std::vector<PackagePreload> preloads;  // empty = the package is in none of the folders
};
// The first package that provides a library of these names, which the file needs but has no RPATH to.
std::optional<PackageLender> package_lender(const Host& host, const Facts& facts,
                                            const std::vector<std::string>& names,
                                            const std::vector<std::string>& site_packages);

}  // namespace ptxguard
