// Releases in the tables that a range accepts.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>

#include "facts/facts.hpp"
#include "python/specifier.hpp"

namespace ptxguard::recipes {

// The newest release that the range accepts; nothing if a release that no table lists yet could be newer.
std::optional<Version> newest_within(const Facts& facts, const std::string& package,
                                     const std::string& range);

}  // namespace ptxguard::recipes
