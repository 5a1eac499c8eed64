// Of the native modules of packages those that need NVIDIA's libraries or a framework's. Inner header of the
// room.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <vector>

#include "facts/facts.hpp"
#include "host/host.hpp"
#include "load/module_symbols.hpp"
#include "model/scenario.hpp"
#include "runtime/module_files.hpp"

namespace ptxguard {

struct ModuleCandidate {
    std::string path;
    std::size_t package = 0;  // in the list of PackageFiles
    ModuleHead head;
    std::string provider;
    bool links = false;  // the provider's libraries, in its own list
};

struct ModuleCandidates {
    std::vector<ModuleCandidate> fitting;
    std::vector<ModuleCandidate> foreign;  // for another machine than the environment
};

// The first `listed` packages are the environment's; the others are files that the user named.
using IsUsed = std::function<bool(const std::string& path, std::size_t package)>;
ModuleCandidates candidates_in(const Host& host, const Facts& facts,
                               const std::vector<PackageFiles>& packages, std::size_t listed,
                               const Scenario& scenario, const IsUsed& is_used);

}  // namespace ptxguard
