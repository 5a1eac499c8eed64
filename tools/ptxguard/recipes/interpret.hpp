// What a command of a recipe does: `pip install`, `conda install`, `apt-get install` become steps of their
// own; every other command stays as it is. Nothing is run.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <string_view>
#include <vector>

#include "recipes/recipe.hpp"

namespace ptxguard::recipes {

struct Inherited {
    // The value that ENV or export gave a variable; null = not set.
    std::function<const Written*(std::string_view name)> variable;
    std::vector<Recipe::Problem>* problems = nullptr;  // gets what could not be read
    std::string folder;                                // in which the command runs
};

// The steps of `command`, in the order in which it carries them out. `files` reads what it names (`-r FILE`).
std::vector<Step> interpret(const Command& command, const ReadFile& files, const Inherited& inherited = {});

}  // namespace ptxguard::recipes
