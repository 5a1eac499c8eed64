// Releases in the tables that a range accepts.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>

#include "facts/facts.hpp"
#include "model/recipe.hpp"
#include "python/specifier.hpp"

namespace ptxguard::recipes {

// The newest release that the range accepts; nothing if a release that no table lists yet could be newer.
std::optional<Version> newest_within(const Facts& facts, const std::string& package,
                                     const std::string& range);

// The release that an unpinned package of the recipe gets.
std::optional<Version> taken(const RecipeFacts& recipe, const std::string& package);

}  // namespace ptxguard::recipes
