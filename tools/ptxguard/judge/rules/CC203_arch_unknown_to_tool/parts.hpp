// CC203 in several sources.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "judge/rule.hpp"

namespace ptxguard {

// Architectures in NVCC_PREPEND_FLAGS and NVCC_APPEND_FLAGS affect every compile and are in no list. Of a
// place in a project, nvcc's dry run judges all flags.
void judge_flags(const Scenario& scenario, const Toolkit& toolkit, Findings& findings);

// CMake hands such an entry to nvcc, or refuses it itself.
void report_spelling(const Scenario& scenario, const Toolkit& toolkit, Findings& findings);

// Lists of a recipe in a form that their reader refuses: 80 for torch's builder, 8.0 and sm_80 for CMake.
void judge_torch_spelling(const RecipeFacts& recipe, Findings& findings);
void judge_cmake_spelling(const RecipeFacts& recipe, Findings& findings);

// Architectures that the installed torch's builder does not accept, whatever nvcc does.
void judge_torch_archs(const Scenario& scenario, const Facts& facts, Findings& findings);

// Of a recipe whose toolkit is not known.
void judge_lists_alone(const Scenario& scenario, const Facts& facts, Findings& findings);

std::vector<std::string> quoted(const std::vector<std::string>& words);  // "'80'"

// What the compilers that programs call while they run do not support.
void judge_run_time_tools(const Scenario& scenario, const Facts& facts, Findings& findings);

}  // namespace ptxguard
