// CC406 symbol_version_missing: the resolved file lacks versions or symbols that are bound to it by file.
// Symbols that are not bound to a file may come from the program and are not checked; CC402 and CC303 report
// their own pairs.
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "judge/library_words.hpp"

namespace ptxguard {

PTXGUARD_RULE(CC406) {
    for (const LibraryFault& fault : faults.reported_by("CC406")) {
        const LoadedFile& asker = fault.library();
        const bool itself = *asker.taken == fault.trace->path;
        Finding& finding =
            add(findings, "CC406", itself || is_needed_to_start(asker) ? Level::error : Level::warning,
                asker.name + " of " + fault.trace->path,
                *asker.taken + " needs " + some_of(fault.symbols, 3) + ", which the loader does not find");
        for (const LoadedFile& other : fault.others) finding.found.push_back(evidence_of(other));
        finding.expected = {
            {asker.name, "libraries that define these symbols", Origin::from_file(*asker.taken)}};
        finding.because =
            asker.missing_versions.empty()
                ? "the loader ends the process at the first use of such a symbol, or at the start with "
                  "LD_BIND_NOW"
                : "the loader refuses a file that needs a missing version: \"version `...' not found\"";
        finding.fix = {
            {FixKind::manual,
             "install the releases that it was linked with, or link it again with the installed ones"}};
    }
}

}  // namespace ptxguard
