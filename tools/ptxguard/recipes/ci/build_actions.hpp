// What actions of GitHub build with, as the commands that they run.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <optional>
#include <string>

#include "recipes/base/recipe.hpp"

namespace ptxguard::recipes {

using ActionInput = std::function<Written(const char* name)>;

// cmake, of an action that runs it; nothing for any other. `action`: in lower case, without its release.
std::optional<Command> cmake_of_action(const std::string& action, const Written& uses,
                                       const ActionInput& input);

// The newest Visual Studio and its newest toolset, unless these inputs choose others.
Command studio_of_action(const Written& uses, const ActionInput& input);

}  // namespace ptxguard::recipes
