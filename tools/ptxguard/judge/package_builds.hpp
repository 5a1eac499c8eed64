// The CUDA whose packages a machine can use, and which of two builds of one package that were installed over
// one another.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>

#include "facts/facts.hpp"
#include "model/finding.hpp"
#include "model/scenario.hpp"

namespace ptxguard {

// The major of the CUDA whose packages belong beside what is here: of the CUDA in the name of that package,
// of the frameworks, of the toolkits, else the newest that the drivers and the GPUs allow; 0 = nothing
// decides.
int cuda_that_fits(const Scenario& scenario, const Facts& facts, const std::string& package = "");

// The one to keep, and what is against the other; empty `against`: nothing is, so the last one stays.
struct KeptBuild {
    std::string package;
    Known<Version> version;
    std::string against;
    // The one that is there: the driver, the GPU or its missing libraries refuse it.
    bool is_unusable = false;
};
KeptBuild build_to_keep(const Scenario& scenario, const Facts& facts, const SharedFile& shared);
// Removes both and installs that one.
Fix kept_build_fix(const KeptBuild& kept, const SharedFile& shared, const Facts& facts);

// Another release or build of a package that is no framework, with code for that GPU.
Fix code_of_package_fix(const Scenario& scenario, const Facts& facts, const NativeModule& module, Arch gpu);

// Of a package that is one wheel for all CUDAs (numba-cuda): its extra brings the compilers of that one, in
// place of those that are installed. Nothing: it has no such extra.
std::optional<Fix> extra_for_cuda(const Scenario& scenario, const Facts& facts, const Expectation& framework,
                                  int major);

}  // namespace ptxguard
