// Packages that have written their libraries over those of a package for GPUs: faiss-cpu over faiss-gpu-cu12.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "host/host.hpp"
#include "model/scenario.hpp"
#include "runtime/module_files.hpp"

namespace ptxguard {

// Of the environment's module_files(), each pair once. Not libraries of NVIDIA's only, whose users are
// compared with them, and not parts that one package requires over one another.
std::vector<SharedFile> overlaid_packages(const Host& host, const std::vector<PackageFiles>& packages);

}  // namespace ptxguard
