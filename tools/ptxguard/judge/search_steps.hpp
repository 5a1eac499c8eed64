// What the loader resolves after an entry of LD_LIBRARY_PATH, LD_PRELOAD or PATH is removed, replaced or
// added. For steps.cpp.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "facts/facts.hpp"
#include "model/finding.hpp"
#include "model/scenario.hpp"

namespace ptxguard {

// The entry of the deciding variable that contains this library, as written there.
std::string entry_in_variable(const LoadedFile& library);

// False if the facts do not determine it: an entry that also selects a compiler, a copy without a version, a
// library whose own RPATH finds others.
bool other_entry(const Step& step, Scenario& scenario, const Facts& facts);

}  // namespace ptxguard
