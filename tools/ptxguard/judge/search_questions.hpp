// What rules need about a framework's own search for ptxas and libdevice.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "judge/rule.hpp"

namespace ptxguard {

// GPUs that will run it, otherwise the targets of the build; nothing if neither is known.
std::vector<Arch> archs_concerned(const Scenario& scenario);
// Is the tool of this search used at all? One for newer GPUs is not if none of these is among them.
bool is_used(const Scenario& scenario, const Pick& search);
// Its setting is a variable whose value is the file itself ("TRITON_PTXAS_PATH"), not a folder or a list.
bool setting_names_file(const Pick& search);
// Package of the framework whose installation brings the tool that its search takes; empty: another brings
// it.
std::string brought_by(const Scenario& scenario, const Facts& facts, const Pick& search);
// A finding for each search for `tool` that finds none, if the framework needs it.
void judge_searches(const Scenario& scenario, const Facts& facts, const char* code, const std::string& tool,
                    Findings& findings);

}  // namespace ptxguard
