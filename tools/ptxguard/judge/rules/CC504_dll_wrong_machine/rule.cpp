// CC504 dll_wrong_machine: a DLL of the required name exists, but for another processor (32-bit, ARM64).
// SPDX-License-Identifier: Apache-2.0
#include "judge/library_words.hpp"

namespace ptxguard {

PTXGUARD_RULE(CC504) {
    for (const LibraryFault& fault : faults.reported_by("CC504")) {
        const LoadLoser& near = fault.near.front();
        const std::string& name = fault.library().name;
        Finding& finding = add(findings, "CC504", level_of_dlls(fault, scenario, facts), subject_of(fault),
                               consequence_of(fault, facts) + ": the only " + name +
                                   (near.lost == LoadLost::other_machine ? " is " : " ") + near.why);
        for (const LoadLoser& loser : fault.library().losers)
            if (loser.lost == LoadLost::other_machine || loser.lost == LoadLost::unreadable)
                finding.found.push_back({loser.path, loser.why, Origin{}});
        finding.expected = {wanted_evidence(fault, fault.library())};
        finding.because =
            "Windows skips a DLL for another machine; if it finds no other it fails with error 193, \"not a "
            "valid Win32 application\"";
        finding.fix = {
            by_hand("replace " + near.path + " with the " + name + " for " + fault.trace->machine)};
    }
}

}  // namespace ptxguard
