// Is every fact file well formed, sourced and consistent with its neighbours? Used by the tests and `ptxguard
// facts`.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "facts/facts.hpp"

namespace ptxguard {

// Reads everything, including what no query returns. Empty = no problems.
std::vector<Trouble> check_facts(const Facts& facts);

}  // namespace ptxguard
