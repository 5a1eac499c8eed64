// CC408 stub_library_taken: the loader uses a toolkit's stub, which is for linking only.
// SPDX-License-Identifier: Apache-2.0
#include "judge/library_questions.hpp"

namespace ptxguard {

PTXGUARD_RULE(CC408) {
    for (const LoadTrace& trace : scenario.traces)
        for (const LoadedFile& library : trace.libraries) {
            if (!library.stub || !library.taken) continue;
            const bool certain = is_needed_to_start(library);
            Finding& finding =
                add(findings, "CC408", certain ? Level::error : Level::warning, subject_of(trace, library),
                    trace.path + " gets a stub for " + library.name + ", " + *library.taken);
            finding.found = {evidence_of(library)};
            finding.found.front().value = "a stub: exports without code";
            finding.expected = {
                {library.name, is_of_driver(library, facts) ? "the driver's" : "the real library", Origin{}}};
            finding.because =
                "a stub lets programs link on machines without the library; each of its functions only "
                "returns an error";
            const std::string folder = library.taken->substr(0, library.taken->find_last_of("/\\"));
            const std::string variable = deciding_variable(library);
            finding.fix = {{FixKind::setting, variable.empty()
                                                  ? "take " + folder + " out of the search by " + library.rule
                                                  : "take " + folder + " out of " + variable}};
        }
}

}  // namespace ptxguard
