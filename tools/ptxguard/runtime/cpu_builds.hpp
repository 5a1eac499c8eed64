// Packages without device code whose libraries say that they were compiled without CUDA.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "facts/facts.hpp"
#include "host/host.hpp"
#include "model/scenario.hpp"
#include "runtime/module_files.hpp"

namespace ptxguard {

void find_cpu_builds(const Host& host, const Facts& facts, const std::vector<PackageFiles>& packages,
                     Scenario& scenario);

}  // namespace ptxguard
