// CC503 dll_shadowed: the DLL next to the file that needs it is shadowed by one of another release in a
// folder searched earlier.
// SPDX-License-Identifier: Apache-2.0
#include "judge/library_words.hpp"
#include "model/file_names.hpp"

namespace ptxguard {

PTXGUARD_RULE(CC503) {
    for (const LibraryFault& fault : faults.reported_by("CC503")) {
        const AllAbout about(findings, fault.about);
        const LoadedFile& library = fault.library();
        const LoadLoser& own = fault.near.front();
        const std::string folder = folder_of(*library.taken);
        const bool other_major = library.version->major() != own.version->major();
        Composed finding = add(findings, "CC503", other_major ? Level::error : Level::warning,
                               SAY("{} of {}", library.name, fault.trace->path),
                               SAY("{} loads {} {} from {} instead of its own {}", fault.trace->path,
                                   library.name, library.version->text, folder, own.version->text))
                               .found(library.name, library.version->text, Origin::from_file(*library.taken));
        finding->found.front().origin.text = SAY("{} ({})", *library.taken, library.rule.text);
        finding.expected(evidence_of(own));
        finding.because(
            SAY("{} is searched before the folder of the file, and a process loads only one DLL of that name",
                library.rule.text));
        finding.by_hand(SAY("update {} to {}, or remove it", *library.taken, own.version->text));
    }
}

}  // namespace ptxguard
