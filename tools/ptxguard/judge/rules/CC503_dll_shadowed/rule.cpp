// CC503 dll_shadowed: the DLL next to the file that needs it is shadowed by one of another release in a
// folder searched earlier.
// SPDX-License-Identifier: Apache-2.0
#include "judge/library_words.hpp"
#include "model/file_names.hpp"

namespace ptxguard {

PTXGUARD_RULE(CC503) {
    for (const LibraryFault& fault : faults.reported_by("CC503")) {
        const LoadedFile& library = fault.library();
        const LoadLoser& own = fault.near.front();
        const std::string folder = folder_of(*library.taken);
        const bool other_major = library.version->major() != own.version->major();
        Finding& finding = add(findings, "CC503", other_major ? Level::error : Level::warning,
                               library.name + " of " + fault.trace->path,
                               fault.trace->path + " loads " + library.name + " " + library.version->text +
                                   " from " + folder + " instead of its own " + own.version->text);
        finding.found = {{library.name, library.version->text, Origin::from_file(*library.taken)}};
        finding.found.front().origin.text = *library.taken + " (" + library.rule.text + ")";
        finding.expected = {evidence_of(own)};
        finding.because =
            library.rule.text +
            " is searched before the folder of the file, and a process loads only one DLL of that name";
        finding.fix = {by_hand("update " + *library.taken + " to " + own.version->text + ", or remove it")};
    }
}

}  // namespace ptxguard
