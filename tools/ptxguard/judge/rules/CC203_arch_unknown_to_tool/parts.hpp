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

}  // namespace ptxguard
