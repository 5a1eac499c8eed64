// How to give nvcc another host compiler, for the rules that report a missing or unsupported one.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "judge/rule.hpp"

namespace ptxguard {

// Nothing names a host compiler, and cl.exe is only on the PATH of Visual Studio's own prompts.
bool is_outside_developer_prompt(const Scenario& scenario);
// A toolkit is also installed for its libraries and its ptxas: without a build, nobody needs cl.exe.
// PyTorch's extension builder calls vcvars64.bat of an installed Visual Studio itself.
bool needs_developer_prompt(const Scenario& scenario);
// The variable of flags that selects the host compiler by -ccbin; empty = none.
std::string flags_that_choose_host_compiler(const Scenario& scenario);
// In the notation of the setting that selects it now.
Fix choose_host_compiler(const Scenario& scenario, const std::string& program);
// By an installed toolset of Visual Studio that the build's nvcc supports, else by what to install.
std::vector<Fix> msvc_fixes(const Scenario& scenario);

}  // namespace ptxguard
