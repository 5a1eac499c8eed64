// Packages that link the CUDA runtime statically, or open the driver themselves (Warp, Open3D): nothing of
// them needs NVIDIA's libraries, and only their device code shows that they use a GPU.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "facts/facts.hpp"
#include "host/host.hpp"
#include "model/scenario.hpp"
#include "runtime/module_files.hpp"

namespace ptxguard {

// The device code of these files, as that of the module's package.
void set_code(const Host& host, const Facts& facts, const std::vector<std::string>& paths,
              NativeModule& module);
// For each such package one module with the device code of all its files.
std::vector<NativeModule> modules_with_code(const Host& host, const Facts& facts,
                                            const std::vector<PackageFiles>& packages,
                                            const Scenario& scenario);

}  // namespace ptxguard
