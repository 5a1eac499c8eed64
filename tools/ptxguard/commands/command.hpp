// A subcommand: name, one line of help, its options and what it does. The table feeds dispatch, help and did-you-mean.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

namespace ptxguard {

enum ExitCode { exit_ok = 0, exit_findings = 1, exit_usage = 2, exit_own_failure = 3 };

// argv without the program's name. Never throws.
int run_command_line(const std::vector<std::string>& arguments);

}  // namespace ptxguard
