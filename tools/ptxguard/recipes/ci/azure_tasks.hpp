// Tasks of Azure that run one command. Inner header of the room.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <string>

#include "formats/tree.hpp"
#include "recipes/base/recipe.hpp"

namespace ptxguard::recipes {

// For a shell, where the task names it; empty for other tasks. `value`: of an input.
Written command_of_task(const std::string& task, const Tree& inputs,
                        const std::function<Written(const Tree& input)>& value);

}  // namespace ptxguard::recipes
