// CC408 stub_library_taken: the loader uses a toolkit's stub, which is for linking only.
// SPDX-License-Identifier: Apache-2.0

#include "judge/library_words.hpp"
#include "model/file_names.hpp"
#include "model/ranges.hpp"

namespace ptxguard {

namespace {

// A driver works here, so that the stub is all that keeps programs from it.
bool hides_a_driver(const LoadedFile& library, const Scenario& scenario, const Facts& facts) {
    return is_of_driver(library, facts) && any_of(scenario.drivers, [](const Driver& driver) {
               return !driver.declared && driver.kernel && driver.trouble.empty();
           });
}

void report(const LoadedFile& library, const std::string& user, bool fails, const Scenario& scenario,
            const Facts& facts, Findings& findings) {
    Composed finding =
        add(findings, "CC408", fails ? Level::error : Level::warning, SAY("{} of {}", library.name, user),
            SAY("{} loads a stub instead of {}: {}", user, library.name, *library.taken))
            .found(evidence_of(library));
    finding->found.front().value = "a stub: exports without code";
    finding.expected(library.name, is_of_driver(library, facts) ? "the driver's" : "the real library",
                     Origin{});
    finding.because(
        "a stub lets programs link on machines without the library; each of its functions only returns an "
        "error");
    finding.fix(variable_fix(library, scenario.system));
    if (finding->fix.empty())
        finding.fix({FixKind::setting, SAY("remove {} from the search path ({})", folder_of(*library.taken),
                                           library.rule.text)});
}

// What every program gets that opens libcuda.so.1, as CUDA's runtime does.
void judge_driver(const Scenario& scenario, const Driver& driver, Findings& findings) {
    const bool declared = any_of(scenario.drivers, [](const Driver& one) { return one.declared; });
    if (driver.stub_first.empty() || (driver.stub && !declared)) return;
    const std::string folder = folder_of(driver.stub_first);
    add(findings, "CC408", driver.stub ? Level::warning : Level::error, driver.stub_first,
        SAY("programs load the stub {} instead of the driver's libcuda.so.1", driver.stub_first))
        .found("libcuda.so.1", driver.stub_first, Origin::from_file(driver.stub_first))
        .expected("libcuda.so.1", driver.stub ? "the driver's" : driver.libcuda, driver.origin)
        .because(
            "its folder comes first in the loader's search; each of its functions only returns an error: "
            "CUDA error 34, 'CUDA driver is a stub library'")
        .by_hand(SAY("take {} out of LD_LIBRARY_PATH and of ld.so.conf.d", folder));
}

}  // namespace

PTXGUARD_RULE(CC408) {
    if (scenario.source == SourceKind::machine)
        for (const Driver& driver : scenario.drivers) judge_driver(scenario, driver, findings);
    for (const NativeModule& module : scenario.modules)
        for (const LoadedFile& library : module.stubs) {
            report(library, module.path, hides_a_driver(library, scenario, facts), scenario, facts, findings);
            // A module's search is not among the facts that a setting changes.
            findings.back().fix = {by_hand(SAY("take {} out of LD_LIBRARY_PATH", folder_of(*library.taken)))};
        }
    for (const LibraryFault& fault : faults.reported_by("CC408")) {
        const AllAbout about(findings, fault.about);
        const LoadedFile& library = fault.library();
        report(library, fault.trace->path,
               is_needed_to_start(library) || hides_a_driver(library, scenario, facts), scenario, facts,
               findings);
    }
}

}  // namespace ptxguard
