// Ranges of versions as pip and poetry write them.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "model/version.hpp"

namespace ptxguard {

// The operators and versions of ">= 2, !=2.5.1", in its order; an operator may be empty.
struct Clause {
    std::string_view op, version;
};
std::vector<Clause> clauses_of(std::string_view range);

// ">=2.7,<2.8", "~=2.8.0", "==2.5.*", "^1.1"; an empty range accepts all.
bool accepts(const std::string& range, const Version& version);

}  // namespace ptxguard
