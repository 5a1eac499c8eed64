// Words before the program that a command really runs: sudo, env, time, conda run ...
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "recipes/recipe.hpp"

namespace ptxguard::recipes {

struct Prefixed {
    std::size_t begin = 0;                    // the first word of the program; all words: there is none
    std::vector<SetVariable> variables = {};  // `env NAME=VALUE`
    std::string environment = {};             // NAME of `conda run -n NAME`
};
// `environments`: those too that run a program in an environment of their own, such as `conda run`.
Prefixed behind_prefixes(const std::vector<Written>& words, bool environments);

// "nvcc" of "/usr/bin/nvcc" and "NVCC.EXE".
std::string program_name(std::string_view word);

}  // namespace ptxguard::recipes
