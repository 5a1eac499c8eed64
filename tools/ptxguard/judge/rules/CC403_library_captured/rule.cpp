// CC403 library_captured: a variable makes the loader use another release of a library than the copy in the
// RUNPATH. An error if that release lacks symbols. On Windows this is CC503.
// SPDX-License-Identifier: Apache-2.0
#include "judge/library_words.hpp"

namespace ptxguard {

PTXGUARD_RULE(CC403) {
    for (const LibraryFault& fault : faults.reported_by("CC403")) {
        const AllAbout about(findings, fault.about);
        const std::string variable = deciding_variable(fault.library().rule);
        Composed finding = add(findings, "CC403", fault.proven ? Level::error : Level::warning,
                               SAY("{} of {}", fault.library().name, fault.trace->path),
                               SAY("{} loads {} from {} instead of its own {}", fault.trace->path,
                                   titles_of(fault.libraries), variable, fault.near.front().version->text));
        for (std::size_t i = 0; i < fault.libraries.size(); ++i) {
            const LoadLoser& own = fault.near[i];
            finding.found(evidence_of(fault.libraries[i]));
            finding.expected(fault.libraries[i].name, own.version->text, own.version.origin);
            finding->expected.back().origin.text = SAY("{}, by {}", own.path, own.rule.text);
        }
        finding.because(
            fault.proven
                ? "this copy lacks symbols that are needed from it"
                : SAY("{} is searched before DT_RUNPATH, so it decides for every file in this process",
                      variable));
        finding.fix(variable_fix(fault.library(), scenario.system));
        finding.of_entry(entry_of(fault.library()));
    }
}

}  // namespace ptxguard
