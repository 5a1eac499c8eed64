// The help of the program and of each command, from the tables of commands and options. Inner header of the
// room.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "commands/command.hpp"

namespace ptxguard {

// `width`: columns at which lines are wrapped.
std::string overview_text(std::size_t width);
std::string help_text(const CommandSpec& command, std::size_t width);

}  // namespace ptxguard
