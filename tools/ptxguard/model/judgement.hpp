// The judge's answer over all scenarios.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "model/fields.hpp"
#include "model/finding.hpp"

namespace ptxguard {

struct Counts {
    int error = 0, warning = 0, note = 0, unknown = 0;  // suppressed findings are not counted

    template <class V>
    void fields(V& v) {
        PTXGUARD_ALWAYS(v, error, warning, note, unknown);
    }
};

struct Judgement {
    std::vector<Finding> findings;  // by level (worst first), then code, then subject; suppressed ones last
    Counts counts;
    Verdict verdict = Verdict::pass;
    bool rule_failed = false;  // a rule threw: CC001 is among the findings, exit code 3
};

}  // namespace ptxguard
