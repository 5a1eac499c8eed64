// What can change the answer of a toolkit's programs.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "ask/asker.hpp"
#include "model/scenario.hpp"
#include "probe/compile.hpp"

namespace ptxguard {

// The start of each question to this toolkit, still without a command.
Question toolkit_question(const Host& host, const Scenario& scenario, const Toolkit& toolkit,
                          const Compiler& compiler);
// To one file that nothing else affects (ptxas, a library).
Question file_question(const std::string& path, Command command, const std::string& asked);

}  // namespace ptxguard
