// A repair done on a copy of the facts. For the room, and for `ptxguard plan`.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>

#include "facts/facts.hpp"
#include "model/finding.hpp"
#include "model/scenario.hpp"

namespace ptxguard {

// Nothing where neither the facts nor a table tell what the step leads to.
std::optional<Scenario> after(const Step& step, const Scenario& scenario, const Facts& facts);
// Without what a new build of that framework brings anew: its libraries and tools. What is gone with them
// alone is not repaired.
Scenario without_libraries(const Scenario& scenario, const std::string& package, const Facts& facts);
// A framework, the drivers and the GPUs that it meets, and nothing else.
Scenario meeting_of(const Expectation& framework, const Scenario& scenario);

}  // namespace ptxguard
