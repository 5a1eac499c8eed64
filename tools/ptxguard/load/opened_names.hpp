// Libraries of NVIDIA that a module of any package opens by names in its constants. Linux only.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "facts/facts.hpp"
#include "host/host.hpp"
#include "model/loading.hpp"

namespace ptxguard {

// Those that neither the loader nor a package of `site` provides, in any of the releases that the file names.
// The driver's libraries and those that programs do without (CUPTI, NVTX) are left out.
std::vector<LoadedFile> opened_and_missing(const Host& host, const Facts& facts, const std::string& path,
                                           const std::string& site,
                                           const std::vector<std::string>& site_packages);

}  // namespace ptxguard
