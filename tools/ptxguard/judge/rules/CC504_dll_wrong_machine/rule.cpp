// CC504 dll_wrong_machine: a DLL of the required name exists, but for another processor (32-bit, ARM64).
// SPDX-License-Identifier: Apache-2.0
#include "judge/library_words.hpp"

namespace ptxguard {

PTXGUARD_RULE(CC504) {
    for (const LibraryFault& fault : faults.reported_by("CC504")) {
        const AllAbout about(findings, fault.about);
        const LoadLoser& near = fault.near.front();
        const std::string& name = fault.library().name;
        const Composed finding =
            add(findings, "CC504", level_of_dlls(fault, scenario, facts), subject_of(fault),
                near.lost == LoadLost::other_machine
                    ? SAY("{}: the only {} is {}", consequence_of(fault, facts), name, near.why)
                    : SAY("{}: the only {} {}", consequence_of(fault, facts), name, near.why))
                .expected(wanted_evidence(fault, fault.library()))
                .because(
                    "Windows skips a DLL for another machine; if it finds no other it fails with error 193, "
                    "\"not a valid Win32 application\"")
                .by_hand(SAY("replace {} with the {} for {}", near.path, name, fault.trace->machine));
        for (const LoadLoser& loser : fault.library().losers)
            if (loser.lost == LoadLost::other_machine || loser.lost == LoadLost::unreadable)
                finding.found(loser.path, loser.why, Origin{});
    }
}

}  // namespace ptxguard
