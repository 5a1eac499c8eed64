// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "facts/facts.hpp"
#include "host/host.hpp"
#include "model/scenario.hpp"
#include "runtime/module_files.hpp"

namespace ptxguard {

// Modules that open the driver's library as "libcuda.so" and get a toolkit's stub, the first of each package.
// Linux only.
std::vector<NativeModule> modules_with_stubs(const Host& host, const Facts& facts,
                                             const std::vector<PackageFiles>& files);

}  // namespace ptxguard
