// Archives of frameworks that a command downloads by a URL.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "facts/facts.hpp"
#include "model/recipe.hpp"
#include "recipes/base/recipe.hpp"

namespace ptxguard::recipes {

// libtorch for a CUDA that this release was never built for.
void refuse_downloads(const Command& command, const Facts& facts, RecipeFacts& recipe);

}  // namespace ptxguard::recipes
