// CC614 in several sources.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "judge/rule.hpp"

namespace ptxguard {

// An index behind a requirement in a requirements file; `said`: groups with another finding.
void judge_ignored(const Scenario& scenario, const std::vector<int>& said, Findings& findings);

// A source of uv for a package that only other packages require.
void judge_ignored_source(const Scenario& scenario, Findings& findings);

}  // namespace ptxguard
