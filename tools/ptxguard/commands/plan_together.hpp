// Several frameworks in one environment.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "commands/planner.hpp"

namespace ptxguard {

struct PlannedTogether {
    PlannedSet set;
    std::vector<Step> builds;  // one of each framework; empty = none fit together
};

// Nothing if fewer than two of the frameworks have builds that run.
std::optional<PlannedTogether> plan_together(const Planner& planner, const std::vector<Wish>& wishes,
                                             const Settings& settings, const Facts& facts);

}  // namespace ptxguard
