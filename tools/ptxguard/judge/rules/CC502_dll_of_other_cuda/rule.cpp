// CC502 dll_of_other_cuda: the required DLL does not exist, but the same library for another CUDA does.
// SPDX-License-Identifier: Apache-2.0
#include "facts/libraries.hpp"
#include "judge/library_words.hpp"
#include "model/file_names.hpp"

namespace ptxguard {
namespace {

constexpr std::size_t k_names = 3;  // in the headline; the evidence has all

std::string cuda_of(const std::string& name, const Facts& facts) {
    const auto library = library_by_file_name(facts, name);
    return library && library->cuda_major != 0 ? "CUDA " + std::to_string(library->cuda_major)
                                               : "another release";
}

}  // namespace

PTXGUARD_RULE(CC502) {
    for (const LibraryFault& fault : library_faults(scenario, facts, "CC502")) {
        const std::string here = file_of(fault.near.front().path), wanted = fault.library().name;
        std::vector<std::string> others;
        for (const LoadLoser& near : fault.near) others.push_back(file_of(near.path));
        Finding& finding =
            add(findings, "CC502", level_of_dlls(fault, scenario, facts), subject_of(fault),
                consequence_of(fault, facts) + ": it needs " + names_of(fault.libraries, k_names) +
                    ", but only " + some_of(others, k_names) +
                    (others.size() == 1 ? " is installed" : " are installed"));
        finding.package = package_without_cuda(fault);
        for (const LoadLoser& near : fault.near) finding.found.push_back(evidence_of(near));
        for (const LoadedFile& dll : fault.libraries) finding.expected.push_back(wanted_evidence(fault, dll));
        finding.because = here + " belongs to " + cuda_of(here, facts) +
                          "; a copy under the other name would have other functions";
        finding.fix = get_dlls_fix(fault, facts);
        if (finding.fix.empty())
            finding.fix = {{FixKind::manual,
                            "install the libraries of " + cuda_of(wanted, facts) + " (" + wanted + ")"}};
        const std::string& framework = fault.trace->framework;
        finding.fix.push_back({FixKind::manual, (framework.empty() ? "use a build of " + fault.trace->path
                                                                   : "use a release of " + framework) +
                                                    " for " + cuda_of(here, facts)});
    }
}

}  // namespace ptxguard
