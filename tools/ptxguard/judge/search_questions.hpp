// What rules ask about a framework's own search for ptxas and libdevice.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "judge/rule.hpp"

namespace ptxguard {

// GPUs that will run it, else the targets of the build; nothing where neither is known.
std::vector<Arch> archs_concerned(const Scenario& scenario);
// Is the tool of this search used at all? One for newer GPUs is not where none of these is among them.
bool is_used(const Scenario& scenario, const Pick& search);
// Its setting is a variable whose value is the file itself ("TRITON_PTXAS_PATH"), not a folder or a list.
bool setting_names_file(const Pick& search);
// A finding for each search for `tool` that ends without one and whose framework is then harmed.
void judge_searches(const Scenario& scenario, const Facts& facts, const char* code, const std::string& tool,
                    Findings& findings);

}  // namespace ptxguard
