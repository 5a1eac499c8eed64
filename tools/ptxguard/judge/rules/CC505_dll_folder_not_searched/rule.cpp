// CC505 dll_folder_not_searched: the DLL exists, in a folder that Windows does not search for this file.
// SPDX-License-Identifier: Apache-2.0
#include "judge/dll_questions.hpp"

namespace ptxguard {

PTXGUARD_RULE(CC505) {
    for (const std::vector<DllCase>& group : grouped(dll_cases(scenario, DllFault::not_searched))) {
        const DllCase& dll = group.front();
        const std::string folder = folder_of(dll.loser->path);
        Finding& finding =
            add(findings, "CC505", level_of(group.front(), scenario, facts), subject_of(group),
                consequence_of(group, scenario, facts) + ": " + list(names_of(group)) +
                    (group.size() == 1 ? " lies in " : " lie in ") + folder + ", which is not searched");
        for (const DllCase& one : group) finding.found.push_back(loser_evidence(*one.loser));
        finding.expected = {wanted_evidence(dll)};
        finding.because = dll.loser->why.empty() ? dll.library->because : dll.loser->why;
        finding.fix = {search_folder_fix(dll, folder)};
    }
}

}  // namespace ptxguard
