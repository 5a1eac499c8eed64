// CC405 nvrtc_builtins_missing: NVRTC is installed, but not the file that it opens at the first compilation.
// A note if NVRTC itself is only opened if it exists; nothing if its user works without it. On Windows this
// is CC501.
// SPDX-License-Identifier: Apache-2.0
#include "judge/library_words.hpp"

namespace ptxguard {

PTXGUARD_RULE(CC405) {
    for (const LibraryFault& fault : faults.reported_by("CC405")) {
        const LoadedFile& library = fault.library();
        const LoadedFile* nvrtc = fault.trace->library("nvrtc");
        const bool certain = nvrtc ? is_needed_to_start(*nvrtc) : fault.trace->path == library.needed_by;
        Finding& finding = add(findings, "CC405", certain ? Level::error : Level::note,
                               library.name + " of " + fault.trace->path,
                               fault.trace->path + " cannot compile at run time: " + is_not_there({library}));
        finding.found = {missing_evidence(library)};
        if (nvrtc && nvrtc->taken) finding.found.push_back(evidence_of(*nvrtc));
        finding.expected = {wanted_evidence(fault, library)};
        finding.because =
            "NVRTC opens the builtins of its own release by name at the first compilation: \"nvrtc: error: "
            "failed to open " +
            library.name + "\"";
        finding.fix = {{FixKind::manual, "put " + library.name + " of the same package next to " +
                                             library.needed_by +
                                             ", and add that folder to LD_LIBRARY_PATH or ld.so.cache"}};
    }
}

}  // namespace ptxguard
