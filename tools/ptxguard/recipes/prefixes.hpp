// Words before the program that a command really runs: sudo, env, time, conda run ...
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "recipes/recipe.hpp"

namespace ptxguard::recipes {

// Without them; the variables of `env X=1` are added. `environment`: gets what `conda run -n NAME` names.
Command without_prefixes(const Command& command, std::string& environment);

}  // namespace ptxguard::recipes
