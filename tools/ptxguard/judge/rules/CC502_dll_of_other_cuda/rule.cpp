// CC502 dll_of_other_cuda: the required DLL does not exist, but the same library for another CUDA does.
// SPDX-License-Identifier: Apache-2.0

#include "facts/libraries.hpp"
#include "judge/fitting_builds.hpp"
#include "judge/framework_questions.hpp"
#include "judge/library_words.hpp"
#include "judge/recipe_questions.hpp"
#include "model/file_names.hpp"
#include "model/ranges.hpp"

namespace ptxguard {
namespace {

constexpr std::size_t k_most_named = 3;  // in the headline; the evidence has all

std::string cuda_of(const std::string& name, const Facts& facts) {
    const auto library = library_by_file_name(facts, name);
    return library && library->cuda_major != 0 ? "CUDA " + std::to_string(library->cuda_major)
                                               : "another release";
}

bool has_builds(const Expectation& framework, System system, int cuda_major, const Facts& facts) {
    const std::vector<Fix> builds = published_builds(framework, system, facts, false);
    return any_of(builds, [&](const Fix& fix) {
        return fix.step && fix.step->cuda && fix.step->cuda->major() == cuda_major;
    });
}

// A release of the framework for the CUDA whose DLLs are here.
std::vector<Fix> release_for_dlls(const LibraryFault& fault, const std::string& here,
                                  const Scenario& scenario, const Facts& facts) {
    const auto library = library_by_file_name(facts, here);
    const int major = library ? library->cuda_major : 0;
    const std::string cuda = cuda_of(here, facts);
    if (fault.trace->framework().empty())
        return {by_hand("use a build of " + fault.trace->path + " for " + cuda)};
    const Expectation* framework = fault.framework;
    if (!framework || major == 0 || facts.framework_releases(framework->package).empty())
        return {by_hand("use a release of " + fault.trace->framework() + " for " + cuda)};
    const std::vector<Fix> builds =
        build_for_toolkit_fix(*framework, version_of_major(major), scenario, facts);
    if (!builds.empty()) return builds;
    if (!has_builds(*framework, System::linux_, major, facts)) return {};
    return {by_hand("use WSL2: " + framework->framework + " for " + cuda + " exists only for Linux")};
}

// cublas64_12.dll; before CUDA 11 names differ by more than the major release.
std::string cublas_of(const Version& cuda) {
    return cuda.major() < 11 ? "" : "cublas64_" + std::to_string(cuda.major()) + ".dll";
}

// A recipe for Windows: the libraries that it installs, and those that a framework loads by name.
void judge_recipe(const Scenario& scenario, const Facts& facts, const Expectation& framework,
                  Findings& findings) {
    if (scenario.system != System::windows || !loads_libraries_here(scenario, framework)) return;
    const auto other = other_libraries(scenario, facts, framework);
    if (!other || never_released(framework) || !framework.may_use_cuda()) return;
    const Version& here = *other->here.cuda;
    const std::string needed = cublas_of(*framework.cuda), found = cublas_of(here);
    const bool named = !needed.empty() && !found.empty();
    Finding& finding = add(findings, "CC502", other->here.complete ? Level::error : Level::warning,
                           name_of(framework) + ", libraries",
                           name_of(framework) + " cannot use a GPU: it needs " +
                               (named ? needed : "the DLLs of CUDA " + other->wanted) + ", " +
                               other->here.of + " has CUDA " + here.text + (named ? " (" + found + ")" : ""));
    finding.found = {{"CUDA libraries", here.text, other->here.cuda.origin},
                     {framework.package, name_of(framework), framework.version.origin}};
    finding.expected = {{"CUDA libraries", other->wanted, framework.cuda.origin}};
    finding.because = "the DLLs of each CUDA release have its number in their names";
    finding.fix = {by_hand("install CUDA " + other->wanted + ", or another release of " + framework.package)};
}

}  // namespace

PTXGUARD_RULE(CC502) {
    if (is_recipe(scenario))
        for (const Expectation& framework : scenario.expectations)
            judge_recipe(scenario, facts, framework, findings);
    for (const LibraryFault& fault : faults.reported_by("CC502")) {
        const std::string here = file_of(fault.near.front().path), wanted = fault.library().name;
        std::vector<std::string> others;
        for (const LoadLoser& near : fault.near) others.push_back(file_of(near.path));
        Finding& finding =
            add(findings, "CC502", level_of_dlls(fault, scenario, facts), subject_of(fault),
                consequence_of(fault, facts) + ": it needs " + names_of(fault.libraries, k_most_named) +
                    ", but only " + some_of(others, k_most_named) +
                    (others.size() == 1 ? " is installed" : " are installed"));
        finding.brief = process_name(*fault.trace, fault.framework) + " needs " +
                        names_of(fault.libraries, 1) + ", only " + some_of(others, 1) +
                        (others.size() == 1 ? " is here" : " are here");
        finding.package = package_without_cuda(fault);
        for (const LoadLoser& near : fault.near) finding.found.push_back(evidence_of(near));
        for (const LoadedFile& dll : fault.libraries) finding.expected.push_back(wanted_evidence(fault, dll));
        finding.because = here + " belongs to " + cuda_of(here, facts) +
                          "; a copy under the other name would have other functions";
        finding.fix = get_dlls_fix(fault, facts);
        if (finding.fix.empty())
            finding.fix = {
                by_hand("install the libraries of " + cuda_of(wanted, facts) + " (" + wanted + ")")};
        for (const Fix& fix : release_for_dlls(fault, here, scenario, facts)) finding.fix.push_back(fix);
    }
}

}  // namespace ptxguard
