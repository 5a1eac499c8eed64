// CC502 dll_of_other_cuda: the required DLL does not exist, but the same library for another CUDA does.
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "facts/libraries.hpp"
#include "judge/dll_questions.hpp"

namespace ptxguard {
namespace {

std::string cuda_of(const std::string& name, const Facts& facts) {
    const auto library = library_by_file_name(facts, name);
    return library && library->cuda_major != 0 ? "CUDA " + std::to_string(library->cuda_major)
                                               : "another release";
}

// Another major of cuDNN is CC301's.
std::vector<DllCase> of_cuda(std::vector<DllCase> cases) {
    const auto is_cudnn = [](const DllCase& dll) { return dll.library->library == "cudnn"; };
    cases.erase(std::remove_if(cases.begin(), cases.end(), is_cudnn), cases.end());
    return cases;
}

}  // namespace

PTXGUARD_RULE(CC502) {
    for (const std::vector<DllCase>& group : grouped(of_cuda(dll_cases(scenario, DllFault::other_name)))) {
        const DllCase& dll = group.front();
        const std::string here = file_of(dll.loser->path), wanted = dll.library->name;
        std::vector<std::string> others;
        for (const DllCase& one : group) others.push_back(file_of(one.loser->path));
        Finding& finding =
            add(findings, "CC502", level_of(group.front(), scenario, facts), subject_of(group),
                consequence_of(group, scenario, facts) + ": it wants " + list(names_of(group)) + ", " +
                    list(others) + (group.size() == 1 ? " is here" : " are here"));
        for (const DllCase& one : group) finding.found.push_back(loser_evidence(*one.loser));
        for (const DllCase& one : group) finding.expected.push_back(wanted_evidence(one));
        finding.because = "the number in the name is part of it: " + here + " belongs to " +
                          cuda_of(here, facts) +
                          ", and a copy under the other name would have other functions";
        finding.fix = get_dlls_fix(group, scenario, facts);
        if (finding.fix.empty())
            finding.fix = {{FixKind::manual,
                            "install the libraries of " + cuda_of(wanted, facts) + " (" + wanted + ")"}};
        const std::string& framework = dll.trace->framework;
        finding.fix.push_back({FixKind::manual, (framework.empty() ? "a build of " + dll.trace->path
                                                                   : "a release of " + framework) +
                                                    " for " + cuda_of(here, facts)});
    }
}

}  // namespace ptxguard
