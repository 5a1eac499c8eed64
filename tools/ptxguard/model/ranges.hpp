// Ranges of versions as pip and poetry write them.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "model/version.hpp"

namespace ptxguard {

// ">=2.7,<2.8", "~=2.8.0", "==2.5.*", "^1.1"; an empty one accepts all.
bool accepts(const std::string& range, const Version& version);

}  // namespace ptxguard
