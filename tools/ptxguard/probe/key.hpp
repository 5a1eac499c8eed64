// What can change the results of a toolkit's programs.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "ask/asker.hpp"
#include "model/scenario.hpp"
#include "probe/compile.hpp"

namespace ptxguard {

// The common part of questions to this toolkit, without a command.
Question toolkit_question(const Host& host, const Scenario& scenario, const Toolkit& toolkit,
                          const Compiler& compiler);
// A question to one file that nothing else affects (ptxas, a library).
Question file_question(const std::string& path, Command command, const std::string& asked);

}  // namespace ptxguard
