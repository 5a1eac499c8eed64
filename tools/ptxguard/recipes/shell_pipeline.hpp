// The text of `$( )` where programs that only change text decide it: echo X | cut -d. -f1,2 | tr -d .
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>

#include "recipes/shell_expand.hpp"
#include "recipes/shell_syntax.hpp"

namespace ptxguard::recipes {

// `inner`: between "$(" and ")". Nothing: it is not known.
std::optional<Written> output_of_pipeline(const PlacedText& text, Range inner, const Variables& variables,
                                          Problems& problems);

}  // namespace ptxguard::recipes
