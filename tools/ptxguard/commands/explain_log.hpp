// Explains a log: from its messages to a report. Shared by `explain` and `run`.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "commands/run.hpp"
#include "messages/find_messages.hpp"

namespace ptxguard {

Report explained(const std::string& command, const std::string& log, const FoundMessages& found,
                 const Run& run, const Settings& settings);

}  // namespace ptxguard
