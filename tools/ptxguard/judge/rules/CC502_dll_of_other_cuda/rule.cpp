// CC502 dll_of_other_cuda: the required DLL does not exist, but the same library for another CUDA does.
// SPDX-License-Identifier: Apache-2.0

#include "facts/libraries.hpp"
#include "facts/pypi.hpp"
#include "judge/fitting_builds.hpp"
#include "judge/fixes.hpp"
#include "judge/framework_questions.hpp"
#include "judge/library_words.hpp"
#include "judge/recipe_questions.hpp"
#include "model/file_names.hpp"
#include "model/named_cuda.hpp"
#include "model/ranges.hpp"

namespace ptxguard {
namespace {

constexpr std::size_t k_most_named = 3;  // in the headline; the evidence has all

std::string cuda_of(const std::string& name, const Facts& facts) {
    const auto library = library_by_file_name(facts, name);
    return library && library->cuda_major != 0 ? SAY("CUDA {}", library->cuda_major) : "another release";
}

bool has_builds(const Expectation& framework, System system, int cuda_major, const Facts& facts) {
    const std::vector<Fix> builds = published_builds(framework, system, facts, false);
    return any_of(builds, [&](const Fix& fix) {
        return fix.step && fix.step->cuda && fix.step->cuda->major() == cuda_major;
    });
}

// The tables may list a release's build for Linux only, and PyPI has files of it for Windows.
std::optional<Fix> release_on_windows(const Expectation& framework, int cuda_major, const Scenario& scenario,
                                      const Facts& facts) {
    for (const Fix& fix : published_builds(framework, System::linux_, facts, false)) {
        // Those of others may be for CPUs on Windows: TensorFlow's are.
        if (!fix.step || !is_named_for_gpus(fix.step->subject) || !fix.step->cuda ||
            fix.step->cuda->major() != cuda_major)
            continue;
        const PypiRow* row = pypi_row(facts, fix.step->subject, fix.step->version);
        if (row && row->windows_wheel && !row->yanked && fits_python(*row, scenario.python.version))
            return Fix{FixKind::command, k_pip_install + pip_words(*fix.step, facts)};
    }
    return std::nullopt;
}

// A release of the framework for the CUDA whose DLLs are here.
std::vector<Fix> release_for_dlls(const LibraryFault& fault, const std::string& here,
                                  const Scenario& scenario, const Facts& facts) {
    const auto library = library_by_file_name(facts, here);
    const int major = library ? library->cuda_major : 0;
    const std::string cuda = cuda_of(here, facts);
    if (fault.trace->framework().empty())
        return {by_hand(SAY("use a build of {} for {}", fault.trace->path, cuda))};
    const Expectation* framework = fault.framework;
    if (!framework || major == 0 || facts.framework_releases(framework->package).empty())
        return {by_hand(SAY("use a release of {} for {}", fault.trace->framework(), cuda))};
    const std::vector<Fix> builds =
        build_for_toolkit_fix(*framework, version_of_major(major), scenario, facts);
    if (!builds.empty()) return builds;
    if (!has_builds(*framework, System::linux_, major, facts)) return {};
    if (const auto release = release_on_windows(*framework, major, scenario, facts)) return {*release};
    return {by_hand(SAY("use WSL2: {} for {} exists only for Linux", framework->framework, cuda))};
}

// cublas64_12.dll; before CUDA 11 names differ by more than the major release.
std::string cublas_of(const Version& cuda) {
    return cuda.major() < 11 ? "" : SAY("cublas64_{}.dll", cuda.major());
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
    add(findings, "CC502", other->here.complete ? Level::error : Level::warning,
        SAY("{}, libraries", name_of(framework)),
        named ? SAY("{} cannot use a GPU: it needs {}, {} has CUDA {} ({})", name_of(framework), needed,
                    other->here.of, here.text, found)
              : SAY("{} cannot use a GPU: it needs the DLLs of CUDA {}, {} has CUDA {}", name_of(framework),
                    other->wanted, other->here.of, here.text))
        .found("CUDA libraries", here.text, other->here.cuda.origin)
        .found(framework.package, name_of(framework), framework.version.origin)
        .expected("CUDA libraries", other->wanted, framework.cuda.origin)
        .because("the DLLs of each CUDA release have its number in their names")
        .by_hand(SAY("install CUDA {}, or another release of {}", other->wanted, framework.package));
}

}  // namespace

PTXGUARD_RULE(CC502) {
    if (is_recipe(scenario))
        for (const Expectation& framework : scenario.expectations)
            judge_recipe(scenario, facts, framework, findings);
    for (const LibraryFault& fault : faults.reported_by("CC502")) {
        const AllAbout about(findings, fault.about);
        const std::string here = file_of(fault.near.front().path), wanted = fault.library().name;
        std::vector<std::string> others;
        for (const LoadLoser& near : fault.near) others.push_back(file_of(near.path));
        Composed finding =
            add(findings, "CC502", level_of_dlls(fault, scenario, facts), subject_of(fault),
                SAY("{}: it needs {}, but only {} {} installed", consequence_of(fault, facts),
                    names_of(fault.libraries, k_most_named), some_of(others, k_most_named),
                    are(others.size())))
                .brief(SAY("{} needs {}, only {} {} here", process_name(*fault.trace, fault.framework),
                           names_of(fault.libraries, 1), some_of(others, 1), are(others.size())))
                .of_package(package_without_cuda(fault))
                .because(SAY("{} belongs to {}; a copy under the other name would have other functions", here,
                             cuda_of(here, facts)))
                .fix(get_dlls_fix(fault, facts));
        for (const LoadLoser& near : fault.near) finding.found(evidence_of(near));
        for (const LoadedFile& dll : fault.libraries) finding.expected(wanted_evidence(fault, dll));
        if (finding->fix.empty())
            finding.by_hand(SAY("install the libraries of {} ({})", cuda_of(wanted, facts), wanted));
        finding.fix(release_for_dlls(fault, here, scenario, facts));
    }
}

}  // namespace ptxguard
