// CC303 cudnn_sublibraries_mixed: one process loads cuDNN libraries of different releases.
// SPDX-License-Identifier: Apache-2.0
#include "judge/library_words.hpp"

namespace ptxguard {

PTXGUARD_RULE(CC303) {
    for (const LibraryFault& fault : library_faults(scenario, facts, "CC303")) {
        const LoadedFile &library = fault.library(), &other = fault.others.front();
        Finding& finding =
            add(findings, "CC303", Level::error, other.name + " of " + fault.trace->path,
                fault.trace->path + " loads " + titles_of(fault.others) + " with " + title_of(library));
        finding.found = {evidence_of(library)};
        for (const LoadedFile& one : fault.others) finding.found.push_back(evidence_of(one));
        finding.expected = {{other.name, library.version ? library.version->text : "of the same release",
                             library.version.origin}};
        finding.because =
            "the libraries of cuDNN check each other's version and work only within one release; the file "
            "name contains only the major, so the loader accepts either";
        finding.fix = same_release_fix(other, library);
    }
}

}  // namespace ptxguard
