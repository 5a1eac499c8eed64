// CC408 stub_library_taken: the loader uses a toolkit's stub, which is for linking only.
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "judge/library_words.hpp"
#include "model/file_names.hpp"

namespace ptxguard {

namespace {

// A driver works here, so that the stub is all that keeps programs from it.
bool hides_a_driver(const LoadedFile& library, const Scenario& scenario, const Facts& facts) {
    return is_of_driver(library, facts) &&
           std::any_of(scenario.drivers.begin(), scenario.drivers.end(), [](const Driver& driver) {
               return !driver.declared && driver.kernel && driver.trouble.empty();
           });
}

}  // namespace

PTXGUARD_RULE(CC408) {
    for (const LibraryFault& fault : faults.reported_by("CC408")) {
        const LoadedFile& library = fault.library();
        const bool fails = is_needed_to_start(library) || hides_a_driver(library, scenario, facts);
        Finding& finding =
            add(findings, "CC408", fails ? Level::error : Level::warning,
                library.name + " of " + fault.trace->path,
                fault.trace->path + " loads a stub instead of " + library.name + ": " + *library.taken);
        finding.found = {evidence_of(library)};
        finding.found.front().value = "a stub: exports without code";
        finding.expected = {
            {library.name, is_of_driver(library, facts) ? "the driver's" : "the real library", Origin{}}};
        finding.because =
            "a stub lets programs link on machines without the library; each of its functions only returns "
            "an error";
        finding.fix = variable_fix(library, scenario.system);
        if (finding.fix.empty())
            finding.fix = {{FixKind::setting, "remove " + folder_of(*library.taken) +
                                                  " from the search path (" + library.rule.text + ")"}};
    }
}

}  // namespace ptxguard
