// What a command of a recipe does: `pip install`, `conda install`, `apt-get install` become separate steps;
// all other commands are kept. Nothing is run.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <string_view>
#include <vector>

#include "recipes/recipe.hpp"

namespace ptxguard::recipes {

struct Inherited {
    explicit Inherited(Problems& problems_) : problems(problems_) {}

    // The value set by ENV or export; null = not set.
    std::function<const Written*(std::string_view name)> variables;
    Problems& problems;  // gets what could not be read
    std::string folder;  // in which the command runs
    // The cloned repository that a path below it belongs to, as a direct reference; "" or null = none.
    std::function<std::string(const std::string& path)> checkout;

    const Written* variable(std::string_view name) const { return variables ? variables(name) : nullptr; }
    std::string checkout_at(const std::string& path) const { return checkout ? checkout(path) : ""; }
};

// The steps of `command`, in order. `files` reads files that it refers to (`-r FILE`).
std::vector<Step> interpret(const Command& command, const ReadFile& files, const Inherited& inherited);

}  // namespace ptxguard::recipes
