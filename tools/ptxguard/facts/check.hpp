// Is every fact file well formed, sourced and in agreement with its neighbours? Used by the tests and
// `ptxguard facts`.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "facts/facts.hpp"

namespace ptxguard {

// Reads everything, also what no query gives. Empty = nothing to complain of.
std::vector<Trouble> check_facts(const Facts& facts);

}  // namespace ptxguard
