// Libraries of the toolkit that commands link: -lnvToolsExt, CUDA::nvToolsExt, and CMake's package with them.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>

#include "model/recipe.hpp"
#include "recipes/base/recipe.hpp"

namespace ptxguard::recipes {

// Those of one command. A library that the project makes itself (add_library) is none.
void add_parts(const Command& command, RecipeFacts& recipe);
// The same command with only these words.
std::optional<Command> with_parts(const Command& command);
// The first word of a step with what a project needs of CMake itself: a row of the tables, and the text that
// asks for it.
constexpr const char* k_of_cmake = "of CMake";
Command needed_of_cmake(const std::string& part, const Written& by);
// A library of the toolkit, as CMake or a linker names it.
bool is_part(const std::string& word);

}  // namespace ptxguard::recipes
