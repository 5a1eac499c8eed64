// What the loader gets once an entry of LD_LIBRARY_PATH is removed, replaced or added. For steps.cpp.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "facts/facts.hpp"
#include "model/finding.hpp"
#include "model/scenario.hpp"

namespace ptxguard {

// False where the facts do not determine it: another variable, a copy without a version, a library whose own
// RPATH finds others.
bool other_entry(const Step& step, Scenario& scenario, const Facts& facts);

}  // namespace ptxguard
