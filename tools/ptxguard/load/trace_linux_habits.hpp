// Libraries that a Python package loads by path when it is imported, before its own. Inner header.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "facts/libraries.hpp"
#include "host/host.hpp"
#include "load/habits.hpp"

namespace ptxguard {

struct PackagePreload {
    std::string path, package, pattern;
    bool only_after_failure = false;
    // Names that the loader is asked for before this path; where it finds one, nothing more is done.
    std::vector<std::string> unless_found;
    bool is_find = false;     // found by the package named
    bool only_asked = false;  // counts only where somebody in the process asks for the file's name ...
    std::string with;         // ... or for that of the one beside which it is loaded
};

// In the order in which the package of the file at `path` loads them; of each pattern the first file that is
// there.
std::vector<PackagePreload> package_preloads(const Host& host, const Facts& facts, const std::string& path,
                                             const std::vector<std::string>& site_packages);

// What is in a process before an extension of a package comes into it.
struct PackageLender {
    std::string package;
    std::vector<PackagePreload> preloads;  // empty = the package is in none of the folders
};
// The first package that lends a library of these names, which the file needs and has no way to.
std::optional<PackageLender> package_lender(const Host& host, const Facts& facts,
                                            const std::vector<std::string>& names,
                                            const std::vector<std::string>& site_packages);

}  // namespace ptxguard
