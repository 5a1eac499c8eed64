// CC620 in several sources.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "judge/rule.hpp"

namespace ptxguard {

struct Missing {
    std::string what, expected;
    Origin origin, table;
};
void say(const Missing& missing, const std::string& because, Findings& findings);

// What a system's sources of packages lack, or do not give out.
void judge_repositories(const Scenario& scenario, const Facts& facts, Findings& findings);

}  // namespace ptxguard
