// Which finding is gone when another one is repaired. Inner header of the room.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "model/finding.hpp"
#include "model/scenario.hpp"

namespace ptxguard {

// Sets Finding::caused_by. A cause is an error that is not suppressed; a finding has one cause, which has
// none.
void name_causes(const std::vector<Scenario>& scenarios, std::vector<Finding>& findings);

}  // namespace ptxguard
