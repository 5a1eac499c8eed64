// CC214 run_time_ptx_newer_than_driver: a package compiles to PTX while it runs, with a libNVVM that is newer
// than the driver. CUDA error 222 at the first kernel.
// SPDX-License-Identifier: Apache-2.0
#include "judge/fixes.hpp"
#include "judge/ptx_questions.hpp"

namespace ptxguard {
namespace {

void say_refused(const Scenario& scenario, const Facts& facts, const RunTimePtx& made, const Driver& driver,
                 const DriverAnswer& answer, Findings& findings) {
    const std::string limit = answer.newest ? ", which reads up to " + answer.newest->text() : "";
    Finding& finding =
        add(findings, "CC214", Level::warning, name_of(driver),
            made.pick->consumer + " passes PTX " + made.ptx.text() + " to " + name_of(driver) + limit);
    finding.package = made.pick->search->package;
    Evidence library{made.pick->tool, made.pick->version->text, made.pick->version.origin};
    library.origin.text = made.pick->path + ", by " + made.pick->because;
    finding.found = {library};
    if (answer.newest) finding.expected = {{"PTX ISA", "<= " + answer.newest->text(), answer.newest.origin}};
    finding.because =
        "libNVVM writes the newest PTX of its release, and a driver refuses PTX that is newer than its own: "
        "the first kernel ends with CUDA_ERROR_UNSUPPORTED_PTX_VERSION (222)";
    if (answer.newest)
        if (const auto release = facts.newest_cuda_for_ptx(*answer.newest))
            finding.fix.push_back({FixKind::manual, "set " + made.pick->search->setting +
                                                        " to a CUDA toolkit " + release->release() +
                                                        " or older"});
    if (const Known<Version> first = facts.first_driver_for_ptx(made.ptx, scenario.system))
        finding.fix.push_back(driver_fix(*first, ", the first that reads PTX " + made.ptx.text()));
}

}  // namespace

PTXGUARD_RULE(CC214) {
    for (const RunTimePtx& made : run_time_ptx(scenario, facts))
        for (const Driver* driver : drivers_concerned(scenario)) {
            const DriverAnswer answer = ask_driver(scenario, facts, *driver, made.ptx);
            if (answer.reads && !*answer.reads) say_refused(scenario, facts, made, *driver, answer, findings);
        }
}

}  // namespace ptxguard
