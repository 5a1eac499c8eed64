// CC111 framework_finds_no_libdevice: a framework that compiles for GPUs at run time searches its own list of
// places, and finds no libdevice, or no libNVVM to read it.
// SPDX-License-Identifier: Apache-2.0
#include "facts/tool_search.hpp"
#include "judge/search_questions.hpp"

namespace ptxguard {

PTXGUARD_RULE(CC111) {
    for (const char* tool : {"libdevice", k_libnvvm})
        judge_searches(scenario, facts, "CC111", tool, findings);
}

}  // namespace ptxguard
