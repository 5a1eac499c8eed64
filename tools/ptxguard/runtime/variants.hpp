// Packages with one library for each CUDA release, which lack the one that they open.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "facts/facts.hpp"
#include "host/host.hpp"
#include "model/scenario.hpp"

namespace ptxguard {

// Adds a module for each. Linux only.
void find_missing_variants(const Host& host, const Facts& facts, Scenario& scenario);

}  // namespace ptxguard
