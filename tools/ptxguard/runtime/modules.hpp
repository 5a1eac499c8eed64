// Native modules of the Python environment that do not get what they need, in any package.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "facts/facts.hpp"
#include "host/host.hpp"
#include "model/scenario.hpp"
#include "runtime/module_files.hpp"

namespace ptxguard {

// Fills scenario.modules, and stable_abi of its frameworks' companions, from the environment's
// module_files(). `named`: additional files without a package. On Windows:
// which of NVIDIA's DLLs nothing has that packages need or open by name, if a GPU is named. `program`: of
// --host-exe, whose native libraries are added; empty = none.
void check_modules(const Host& host, const Facts& facts, std::vector<PackageFiles> files,
                   const std::vector<std::string>& named, const std::string& program, Scenario& scenario);

}  // namespace ptxguard
