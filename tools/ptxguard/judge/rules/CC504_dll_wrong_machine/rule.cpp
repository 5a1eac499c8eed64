// CC504 dll_wrong_machine: a DLL of the required name exists, but for another processor (32-bit, ARM64).
// SPDX-License-Identifier: Apache-2.0
#include "judge/dll_questions.hpp"

namespace ptxguard {

PTXGUARD_RULE(CC504) {
    for (const DllCase& dll : dll_cases(scenario, DllFault::wrong_machine)) {
        Finding& finding = add(
            findings, "CC504", level_of(dll, scenario, facts), subject_of(std::vector<DllCase>{dll}),
            consequence_of(std::vector<DllCase>{dll}, scenario, facts) + ": the only " + dll.library->name +
                (dll.loser->lost == LoadLost::other_machine ? " is " : " ") + dll.loser->why);
        for (const LoadLoser& loser : dll.library->losers)
            if (loser.lost == LoadLost::other_machine || loser.lost == LoadLost::unreadable)
                finding.found.push_back({loser.path, loser.why, Origin{}});
        finding.expected = {wanted_evidence(dll)};
        finding.because =
            "Windows passes over a DLL for another machine; where nothing else is found it ends with error "
            "193, "
            "\"not a valid Win32 application\"";
        finding.fix = {{FixKind::manual, "put a " + dll.library->name + " for " + dll.trace->machine +
                                             " in place of " + dll.loser->path}};
    }
}

}  // namespace ptxguard
