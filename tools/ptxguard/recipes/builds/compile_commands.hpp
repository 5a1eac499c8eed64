// Commands that compile device code, and the architectures in their options and variables.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>
#include <vector>

#include "model/scenario.hpp"
#include "recipes/base/recipe.hpp"

namespace ptxguard::recipes {

// nvcc, cmake with CUDA, setup.py, and the architecture lists in their options.
void add_command(const Command& command, RecipeFacts& recipe);
// Whether it builds a program, of whatever language.
bool compiles_programs(const Command& command);
// The flags of a command that select architectures, with their values.
std::vector<Written> arch_flags(const Command& command);
// TORCH_CUDA_ARCH_LIST and other lists.
bool is_arch_variable(std::string_view name);
// False: not such a variable.
bool add_arch_variable(const SetVariable& variable, RecipeFacts& recipe);
// CMake's options in `words`: CUDA is on. Adds their architecture lists.
bool reads_cuda_on(const std::vector<Written>& words, RecipeFacts& recipe);
// A step that begins at the words' place.
CompileStep compile_step(const std::string& what, const Written& at);

}  // namespace ptxguard::recipes
