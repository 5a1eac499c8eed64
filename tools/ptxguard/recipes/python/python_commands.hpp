// Calls of Python that run a command. Inner header of the room.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <vector>

#include "recipes/python/python_expressions.hpp"
#include "recipes/shell/shell.hpp"

namespace ptxguard::recipes {

// "run" of "subprocess.run".
std::string last_name(const std::string& path);
// Whether a function of that name may be one that runs a command.
bool may_run_command(const std::string& name);
// The steps of the command in `shell`, whose folder and variables stay; nothing = it runs none.
std::optional<std::vector<Step>> command_of_call(const PythonCall& call, bool certain, Shell& shell);

}  // namespace ptxguard::recipes
