// CC303 cudnn_sublibraries_mixed: parts of cuDNN from different releases come into one process.
// SPDX-License-Identifier: Apache-2.0
#include "judge/library_questions.hpp"

namespace ptxguard {

PTXGUARD_RULE(CC303) {
    for (const LoadTrace& trace : scenario.traces)
        for (const MixedPair& pair : mixed_pairs(trace, facts)) {
            if (pair.set.id != "cudnn") continue;
            Finding& finding =
                add(findings, "CC303", Level::error, subject_of(trace, pair.other),
                    trace.path + " gets " + title_of(pair.other) + " with " + title_of(pair.library));
            finding.found = {evidence_of(pair.library), evidence_of(pair.other)};
            finding.expected = {{pair.other.name,
                                 pair.library.version ? pair.library.version->text : "of the same release",
                                 pair.library.version.origin}};
            finding.because =
                "the parts of cuDNN check each other's version and work only with those of their own "
                "release; "
                "the number in the name is the major alone, so the loader takes either";
            finding.fix = same_release_fix(pair.other, pair.library, facts);
        }
}

}  // namespace ptxguard
