// What a command gets from the text that it is in. Inner header of the room.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <string>
#include <string_view>

#include "recipes/base/recipe.hpp"

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

}  // namespace ptxguard::recipes
