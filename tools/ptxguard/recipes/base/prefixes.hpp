// Words before the program that a command really runs: sudo, env, time, conda run ...
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "recipes/base/recipe.hpp"

namespace ptxguard::recipes {

struct Prefixed {
    std::size_t begin = 0;                    // the first word of the program; after the last word = none
    std::vector<SetVariable> variables = {};  // `env NAME=VALUE`
    std::string environment = {};             // NAME in `conda run -n NAME`
};
// `environments`: also those that run a program in another environment, such as `conda run`.
Prefixed behind_prefixes(const std::vector<Written>& words, bool environments);

// "nvcc" for "/usr/bin/nvcc" and "NVCC.EXE".
std::string program_name(std::string_view word);

}  // namespace ptxguard::recipes
