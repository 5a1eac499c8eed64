// "# ptxguard: ignore=CC602 reason" in a recipe.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "model/finding.hpp"
#include "recipes/base/recipe.hpp"

namespace ptxguard::recipes {

// After other text, the comment applies to its line. On a separate line it applies to the next line and its
// continuations. Several codes are separated by commas. A comment without a reason, or one that only reads
// like a suppression, is returned as invalid and suppresses nothing.
std::vector<Suppression> read_suppressions(const std::string& file, std::string_view text,
                                           Problems& problems);

}  // namespace ptxguard::recipes
