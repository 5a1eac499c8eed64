// Which releases of the tables a range accepts.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>

#include "facts/facts.hpp"

namespace ptxguard::recipes {

// Of pip's and poetry's ranges: ">=2.7,<2.8", "~=2.8.0", "==2.5.*", "^1.1".
bool accepts(const std::string& range, const Version& version);
// The newest release that the range accepts; nothing where a release that no table lists yet could be newer.
std::optional<Version> newest_within(const Facts& facts, const std::string& package,
                                     const std::string& range);

}  // namespace ptxguard::recipes
