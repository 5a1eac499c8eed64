// Applies a fix to a copy of the facts. For the room, and for `ptxguard plan`.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>

#include "facts/facts.hpp"
#include "model/finding.hpp"
#include "model/scenario.hpp"

namespace ptxguard {

// Nothing if neither the facts nor a table determine the result of the step.
std::optional<Scenario> after(const Step& step, const Scenario& scenario, const Facts& facts);
// Without what a new build of that framework installs: its libraries and tools. An error that disappears only
// with them is not fixed.
Scenario without_libraries(const Scenario& scenario, const std::string& package, const Facts& facts);
// Only a framework and the drivers and GPUs that it is used with.
Scenario meeting_of(const Expectation& framework, const Scenario& scenario);

// What the loader resolves after an entry of LD_LIBRARY_PATH, LD_PRELOAD or PATH is removed, replaced or
// added. For steps.cpp.

// The entry of the deciding variable that contains this library, as written there.
std::string entry_in_variable(const LoadedFile& library);

// False if the facts do not determine it: an entry that also selects a compiler, a copy without a version, a
// library whose own RPATH finds others.
bool other_entry(const Step& step, Scenario& scenario, const Facts& facts);

}  // namespace ptxguard
