// CC501 dll_missing: Windows finds no file for a DLL that the process needs. A driver DLL is unknown: it
// comes with the driver, not with the build. A delay-loaded one is a note: the process starts without it.
// SPDX-License-Identifier: Apache-2.0

#include "facts/libraries.hpp"
#include "judge/library_words.hpp"
#include "judge/module_questions.hpp"
#include "judge/toolkit_questions.hpp"
#include "model/file_names.hpp"
#include "model/ranges.hpp"

namespace ptxguard {
namespace {

constexpr const char* k_elsewhere =
    "run the check on that machine, or give --root a tree that contains its Windows/System32";

// Those of one fault are of one CUDA.
std::string runtime_of(const std::vector<LoadedFile>& libraries) {
    const LoadedFile& library = libraries.front();
    if (libraries.size() > 1) return SAY("{} of CUDA {}", names_of(libraries), library.cuda_major);
    if (library.library.empty()) return library.name;
    if (library.cuda_major == 0) return SAY("{} of NVIDIA's {}", library.name, library.library);
    return SAY("{} of CUDA {}", library.name, library.cuda_major);
}

// The DLLs may be in the folder that a wrong PATH entry means.
void add_meant_folders(const LibraryFault& fault, const Scenario& scenario, const Composed& finding) {
    if (!fault.trace->searches_path && fault.library().how == LoadHow::needed) return;
    std::vector<Fix> fixes;
    for (const EnvironmentEntry& entry : scenario.entries) {
        if (lower(entry.variable) != "path" || !can_be_mended(entry.problem) || entry.nearest.empty())
            continue;
        fixes.push_back(misspelt_entry_fix(entry, scenario.system));
        finding->because += SAY("; PATH entry '{}' {}", entry.value, problem_words(entry.problem));
    }
    finding->fix.insert(finding->fix.begin(), fixes.begin(), fixes.end());
}

void add_missing(const LibraryFault& fault, const Scenario& scenario, const Facts& facts,
                 const Composed& finding) {
    const LoadedFile& library = fault.library();
    finding.because("Windows searches only these folders, and none of them contains a file of that name");
    finding.fix(get_dlls_fix(fault, facts));
    // The folder of the file that opens a bare name is not searched.
    const bool beside = library.how == LoadHow::needed && !fault.trace->traced_for;
    const std::string put =
        !fault.trace->traced_for ? runtime_of(fault.libraries) : names_of(fault.libraries);
    if ((beside && !library.library.empty()) || finding->fix.empty())
        finding->fix.insert(
            finding->fix.begin(),
            by_hand(beside ? SAY("put {} next to {}, or into a searched folder", put, library.needed_by)
                           : SAY("put {} into a searched folder", put)));
    add_meant_folders(fault, scenario, finding);
}

// DLLs in folders that are not available (System32 of an unpacked tree, an unknown PATH).
void add_undecided(const LibraryFault& fault, Findings& findings) {
    const std::string& path = fault.trace->path;
    Composed finding = add(findings, "CC501", Level::unknown, path,
                           SAY("cannot determine whether {} finds {}", path, names_of(fault.libraries)));
    std::vector<std::string> causes;
    for (const LoadedFile& library : fault.libraries) {
        finding.expected(wanted_evidence(fault, library));
        if (contains(causes, library.because)) continue;
        causes.push_back(library.because);
        finding->because += (finding->because.empty() ? "" : "; ") + library.because;
        finding.decide(library.path_unknown ? "--env PATH=... with the PATH of that system" : k_elsewhere);
    }
}

// The tree has the DLLs, in folders that the PATH of its system may name or not.
void add_open_module(const BrokenPackage& broken, Findings& findings) {
    const LoadedFile& first = broken.first().missing.front();
    add(findings, "CC501", Level::unknown, SAY("{}, {}", broken.name(), broken.first().path),
        SAY("cannot determine whether {} finds {}", broken.name(), names_of(broken.first().missing)))
        .about(broken.id)
        .because(first.because)
        .decide("--env PATH=... with the PATH of that system");
}

// A program beside the DLLs of another CUDA.
std::vector<Fix> use_other_build(const BrokenPackage& broken, const Facts& facts) {
    if (!broken.first().of_program) return {};
    for (const LoadedFile& dll : broken.first().missing)
        for (const LoadLoser& near : dll.losers) {
            const auto here = library_by_file_name(facts, file_of(near.path));
            if (near.lost == LoadLost::other_name && here && here->cuda_major != 0)
                return {by_hand(
                    SAY("use a build of {} for CUDA {}, which is here", broken.name(), here->cuda_major))};
        }
    return {};
}

// Modules of the Python environment, in any package.
void judge_modules(const Scenario& scenario, const Facts& facts, Findings& findings) {
    if (scenario.system != System::windows) return;
    for (const BrokenPackage& broken : broken_packages(scenario, facts)) {
        if (broken.fault != ModuleFault::library_missing || !folder_not_searched(broken).empty()) continue;
        if (broken.is_open()) {
            add_open_module(broken, findings);
            continue;
        }
        const std::vector<LoadedFile>& missing = broken.first().missing;
        const bool by_name = missing.front().how != LoadHow::needed;
        Composed finding =
            add_broken(broken, "CC501",
                       by_name ? SAY("{} opens {} when it uses a GPU, and {}", broken.name(),
                                     names_of(missing), is_not_there(missing))
                               : SAY("{} does not load: {}", broken.name(), is_not_there(missing)),
                       facts, findings)
                .because(
                    "no file of that name is in a folder that Windows searches, in a toolkit or in a package "
                    "of the environment")
                .fix(use_other_build(broken, facts))
                .fix(get_dlls_fix(missing, facts, !broken.first().of_program));
        for (const LoadedFile& dll : missing)
            for (const LoadLoser& near : dll.losers)
                if (near.lost == LoadLost::other_name) finding.found(evidence_of(near));
    }
}

std::string message_of_dlls(const LibraryFault& fault, const Facts& facts) {
    const std::string& name = fault.library().name;
    if (fault.kind == LibraryFaultKind::delayed)
        return SAY("{} starts without {} and fails at its first call", fault.trace->path, name);
    if (fault.family == LibraryFamily::driver) return SAY("{} of the driver is not found", name);
    return SAY("{}: {}", consequence_of(fault, facts), is_not_there(fault.libraries));
}

void report_dlls(const LibraryFault& fault, const Scenario& scenario, const Facts& facts,
                 Findings& findings) {
    const bool delayed = fault.kind == LibraryFaultKind::delayed,
               driver = !delayed && fault.family == LibraryFamily::driver;
    const Composed finding =
        add(findings, "CC501",
            delayed  ? Level::note
            : driver ? Level::unknown
                     : level_of_dlls(fault, scenario, facts),
            delayed ? SAY("{} of {}", fault.library().name, fault.trace->path) : subject_of(fault),
            message_of_dlls(fault, facts))
            .of_package(package_without_cuda(fault));
    for (const LoadedFile& dll : fault.libraries)
        finding.found(missing_evidence(dll)).expected(wanted_evidence(fault, dll));
    if (delayed)
        finding.because("the DLL is delay-loaded: only a call of it needs the file");
    else if (driver)
        finding
            .because(SAY("it is installed with the driver, so the machine that runs {} decides",
                         fault.trace->path))
            .decide(k_elsewhere);
    else
        add_missing(fault, scenario, facts, finding);
}

}  // namespace

PTXGUARD_RULE(CC501) {
    judge_modules(scenario, facts, findings);
    for (const LibraryFault& fault : faults.reported_by("CC501")) {
        const AllAbout about(findings, fault.about);
        if (fault.kind == LibraryFaultKind::undecided)
            add_undecided(fault, findings);
        else
            report_dlls(fault, scenario, facts, findings);
    }
}

}  // namespace ptxguard
