// CC505 dll_folder_not_searched: the DLL is there, in a folder in which Windows does not look for this file.
// SPDX-License-Identifier: Apache-2.0
#include "judge/dll_questions.hpp"

namespace ptxguard {

PTXGUARD_RULE(CC505) {
    for (const DllCase& dll : dll_cases(scenario, DllFault::not_searched)) {
        const std::string folder = folder_of(dll.loser->path);
        Finding& finding = add(findings, "CC505", Level::error, subject_of(dll),
                               consequence_of(dll) + ": " + dll.library->name + " lies in " + folder +
                                   ", which is not searched");
        finding.found = {loser_evidence(*dll.loser)};
        finding.expected = {wanted_evidence(dll)};
        finding.because = dll.loser->why.empty() ? dll.library->because : dll.loser->why;
        finding.fix = {search_folder_fix(dll, folder)};
    }
}

}  // namespace ptxguard
