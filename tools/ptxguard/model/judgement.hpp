// The judge's result for all scenarios.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "model/fields.hpp"
#include "model/finding.hpp"

namespace ptxguard {

struct Counts {
    int error = 0, warning = 0, note = 0, unknown = 0;  // suppressed findings are not counted

    PTXGUARD_MEMBERS_ALWAYS(error, warning, note, unknown)
};

// A line of the check list: one area, its state, and what was found.
enum class AreaState { ok, warning, error, not_checked };
const char* to_string(AreaState state);
struct CheckedArea {
    std::string area;  // "toolkit", "PTX", "driver" ...
    AreaState state = AreaState::not_checked;
    std::string text;  // what was found, and with what it was compared: "580.95.05: H100 (sm_90)"
    std::vector<std::string> codes;  // codes of its warnings, errors and unknowns
    std::string decide = {};  // what to pass to check it; empty = it was checked, or nothing would help
    std::vector<std::string> not_compared = {};  // what it met without a result: "CuPy 13.6.0"
    std::string brief = {};  // the names in it, for one line: "driver 580.95.05"; empty = nothing found

    PTXGUARD_MEMBERS((area, state, text, codes), (decide, not_compared))
};

// Whether one driver or GPU works with everything else: the build, the frameworks, the GPU or the driver.
struct Acceptance {
    std::string name;                  // "driver 535.104.05", "A100 (sm_80)"
    std::optional<bool> accepts;       // null = not decided, or nothing to decide
    std::vector<std::string> because;  // codes of the errors, or of the unknowns if there is no error

    PTXGUARD_MEMBERS_ALWAYS(name, accepts, because)
};

struct Judgement {
    std::vector<Finding> findings;  // by level (worst first), then code, then subject; suppressed ones last
    Counts counts;
    Verdict verdict = Verdict::pass;
    std::vector<Plan> plans;  // the smallest ones, cheapest first; empty = no error, or no proven plan
    std::vector<CheckedArea> checklist;  // of a machine; in the order of a build and then a run
    std::vector<Acceptance> drivers, gpus;
    std::vector<Finding> later;  // another run of this build decides them: JudgeOptions::later
    bool rule_failed = false;    // a rule threw: CC001 is among the findings, exit code 3
};

}  // namespace ptxguard
