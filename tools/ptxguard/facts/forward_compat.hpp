// NVIDIA's forward compatibility: a newer libcuda (package cuda-compat) on an older kernel driver, which only
// some GPUs and some driver branches support. Queries on facts/drivers.json.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "facts/facts.hpp"

namespace ptxguard {

// cuda-compat of one CUDA release.
struct CompatPackage {
    Version cuda;                    // 12.4
    std::vector<int> base_branches;  // kernel driver branches on which it works: 535
    Origin origin;
};

struct CompatTable {
    std::vector<CompatPackage> packages;
    std::vector<std::vector<std::string>> allowed, refused;  // lower-case words of product names
    std::vector<Arch> archs_allowed;
    Origin gpus;  // of the names
};

// Null if no row lists that release.
const CompatPackage* compat_package(const Facts& facts, const Version& cuda);
// Whether NVIDIA supports it on this GPU. Unknown for workstation cards, of which some are supported, and for
// an architecture that several kinds of cards share.
Known<bool> compat_allowed(const Facts& facts, const std::string& gpu_name, const Known<Arch>& arch);

}  // namespace ptxguard
