// Native modules of packages on Windows. Inner header of the room.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "facts/facts.hpp"
#include "host/host.hpp"
#include "model/scenario.hpp"
#include "runtime/module_files.hpp"

namespace ptxguard {

// What modules of packages without a framework's own search import or open by name, where no file of that
// name is in a searched folder, in a toolkit, on PATH or in a package of the environment: what else a package
// adds to the search is not known. What is only opened counts if there is a GPU or a driver. What whole
// packages find is added to `libraries`.
std::vector<NativeModule> modules_without_dlls(const Host& host, const Facts& facts,
                                               const std::vector<PackageFiles>& files,
                                               const Scenario& scenario,
                                               std::vector<PackageLibraries>& libraries);

// Those, the named files, and the device code of packages.
void check_windows_modules(const Host& host, const Facts& facts, std::vector<PackageFiles>& files,
                           const std::vector<std::string>& named, const std::string& program,
                           Scenario& scenario);

}  // namespace ptxguard
