// Which published build of a framework would run on a GPU, as far as the tables know what builds hold.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "facts/facts.hpp"
#include "model/finding.hpp"
#include "model/scenario.hpp"

namespace ptxguard {

// Another build of its release for the newest CUDA that fits; else the first newer release with one (for a
// GPU that is newer than all its code) or the last older one, and how to install it. Empty where no row
// tells.
std::vector<Fix> fitting_build_fix(const Expectation& expectation, Arch gpu, const Scenario& scenario,
                                   const Facts& facts);

// Newer than all that it holds.
bool is_newer_than_all(const std::vector<Target>& code, Arch gpu);

}  // namespace ptxguard
