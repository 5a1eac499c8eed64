// CC502 dll_of_other_cuda: the DLL that is wanted is not there, but the same library for another CUDA is.
// SPDX-License-Identifier: Apache-2.0
#include "facts/libraries.hpp"
#include "judge/dll_questions.hpp"

namespace ptxguard {
namespace {

std::string cuda_of(const std::string& name, const Facts& facts) {
    const auto library = library_by_file_name(facts, name);
    return library && library->cuda_major != 0 ? "CUDA " + std::to_string(library->cuda_major)
                                               : "another release";
}

}  // namespace

PTXGUARD_RULE(CC502) {
    for (const DllCase& dll : dll_cases(scenario, DllFault::other_name)) {
        const std::string here = file_of(dll.loser->path), wanted = dll.library->name;
        Finding& finding = add(findings, "CC502", Level::error, subject_of(dll),
                               consequence_of(dll) + ": it wants " + wanted + ", " + here + " is here");
        finding.found = {loser_evidence(*dll.loser)};
        finding.expected = {wanted_evidence(dll)};
        finding.because = "the number in the name is part of it: " + here + " belongs to " +
                          cuda_of(here, facts) +
                          ", and a copy under the other name would have other functions";
        finding.fix = get_dll_fix(wanted, dll.trace->machine, facts);
        if (finding.fix.empty())
            finding.fix = {{FixKind::manual,
                            "install the libraries of " + cuda_of(wanted, facts) + " (" + wanted + ")"}};
        finding.fix.push_back(
            {FixKind::manual, "a build of " + dll.trace->path + " for " + cuda_of(here, facts)});
    }
}

}  // namespace ptxguard
