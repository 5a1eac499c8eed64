// Checks that every fact file is well formed, sourced and consistent with the others. Used by the tests and
// `ptxguard facts`.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "facts/facts.hpp"

namespace ptxguard {

// Reads everything, including values that no query returns. Empty = no problems.
std::vector<Trouble> check_facts(const Facts& facts);

}  // namespace ptxguard
