// Which Python files of a package import one of its modules or load one of its libraries, and whether they
// can be without it. By their text; nothing is run.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "host/host.hpp"

namespace ptxguard {

struct Importers {
    std::vector<std::string> files;  // that import it whenever they are imported, without those for tests
    bool guarded = false;            // some file tries it, looks for it, or imports it in a function only
};
// Of these top-level packages in `site` the files that import that module ("lmcache.c_ops").
Importers importers_of(const Host& host, const std::string& site, const std::vector<std::string>& packages,
                       const std::string& module);
// The same for a library that they load by its path ("ops.so").
Importers loaders_of(const Host& host, const std::string& site, const std::vector<std::string>& packages,
                     const std::string& library);

// By the Python files beside a library: what loads one named like that ("libaddon") may go on without.
bool may_skip(const Host& host, const std::string& path, const std::string& name);

}  // namespace ptxguard
