// Packages whose native modules are all for another release of Python than the environment's.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "host/host.hpp"
#include "model/scenario.hpp"
#include "runtime/module_files.hpp"

namespace ptxguard {

// Of the frameworks, NVIDIA's own packages, and those that require one of either.
std::vector<NativeModule> modules_for_other_python(const Host& host,
                                                   const std::vector<PackageFiles>& packages,
                                                   const Scenario& scenario);

}  // namespace ptxguard
