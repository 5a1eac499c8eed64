// CC501 dll_missing: Windows finds no file for a DLL that the process needs. A driver DLL is unknown: it
// comes with the driver, not with the build. A delay-loaded one is a note: the process starts without it.
// SPDX-License-Identifier: Apache-2.0

#include "judge/library_words.hpp"
#include "judge/module_questions.hpp"
#include "judge/toolkit_questions.hpp"
#include "model/ranges.hpp"

namespace ptxguard {
namespace {

constexpr const char* k_elsewhere =
    "run the check on that machine, or give --root a tree that contains its Windows/System32";

// Those of one fault are of one CUDA.
std::string runtime_of(const std::vector<LoadedFile>& libraries) {
    const LoadedFile& library = libraries.front();
    if (libraries.size() > 1) return names_of(libraries) + " of CUDA " + std::to_string(library.cuda_major);
    if (library.library.empty()) return library.name;
    if (library.cuda_major == 0) return library.name + " of NVIDIA's " + library.library;
    return library.name + " of CUDA " + std::to_string(library.cuda_major);
}

void add_driver(const LibraryFault& fault, Finding& finding) {
    finding.level = Level::unknown;
    finding.message = fault.library().name + " of the driver is not found";
    finding.because =
        "it is installed with the driver, so the machine that runs " + fault.trace->path + " decides";
    finding.decide = {k_elsewhere};
}

// The DLLs may be in the folder that a wrong PATH entry means.
void add_meant_folders(const LibraryFault& fault, const Scenario& scenario, Finding& finding) {
    if (!fault.trace->searches_path && fault.library().how == LoadHow::needed) return;
    std::vector<Fix> fixes;
    for (const EnvironmentEntry& entry : scenario.entries) {
        if (lower(entry.variable) != "path" || !can_be_mended(entry.problem) || entry.nearest.empty())
            continue;
        fixes.push_back(misspelt_entry_fix(entry, scenario.system));
        finding.because += "; PATH entry '" + entry.value + "' " + problem_words(entry.problem);
    }
    finding.fix.insert(finding.fix.begin(), fixes.begin(), fixes.end());
}

void add_missing(const LibraryFault& fault, const Scenario& scenario, const Facts& facts, Finding& finding) {
    const LoadedFile& library = fault.library();
    finding.because = "Windows searches only these folders, and none of them contains a file of that name";
    finding.fix = get_dlls_fix(fault, facts);
    // The folder of the file that opens a bare name is not searched.
    const bool beside = library.how == LoadHow::needed && !fault.trace->traced_for;
    const std::string put =
        !fault.trace->traced_for ? runtime_of(fault.libraries) : names_of(fault.libraries);
    if ((beside && !library.library.empty()) || finding.fix.empty())
        finding.fix.insert(finding.fix.begin(),
                           by_hand("put " + put + (beside ? " next to " + library.needed_by + ", or" : "") +
                                   " into a searched folder"));
    add_meant_folders(fault, scenario, finding);
}

// DLLs in folders that are not available (System32 of an unpacked tree, an unknown PATH).
void add_undecided(const LibraryFault& fault, Findings& findings) {
    const std::string& path = fault.trace->path;
    Finding& finding = add(findings, "CC501", Level::unknown, path,
                           "cannot determine whether " + path + " finds " + names_of(fault.libraries));
    std::vector<std::string> causes;
    for (const LoadedFile& library : fault.libraries) {
        finding.expected.push_back(wanted_evidence(fault, library));
        if (contains(causes, library.because)) continue;
        causes.push_back(library.because);
        finding.because += (finding.because.empty() ? "" : "; ") + library.because;
        finding.decide.push_back(library.path_unknown ? "--env PATH=... with the PATH of that system"
                                                      : k_elsewhere);
    }
}

// Modules of the Python environment, in any package.
void judge_modules(const Scenario& scenario, const Facts& facts, Findings& findings) {
    if (scenario.system != System::windows) return;
    for (const BrokenPackage& broken : broken_packages(scenario, facts)) {
        if (broken.fault != ModuleFault::library_missing) continue;
        const std::vector<LoadedFile>& missing = broken.first().missing;
        const bool by_name = missing.front().how != LoadHow::needed;
        Finding& finding = add_broken(
            broken, "CC501",
            broken.name() +
                (by_name ? " opens " + names_of(missing) + " when it uses a GPU, and " : " does not load: ") +
                is_not_there(missing),
            facts, findings);
        finding.because =
            "no file of that name is in a folder that Windows searches, in a toolkit or in a package of the "
            "environment";
        finding.fix = get_dlls_fix(missing, facts);
        for (const LoadedFile& dll : missing)
            for (const LoadLoser& near : dll.losers)
                if (near.lost == LoadLost::other_name) finding.found.push_back(evidence_of(near));
    }
}

}  // namespace

PTXGUARD_RULE(CC501) {
    judge_modules(scenario, facts, findings);
    for (const LibraryFault& fault : faults.reported_by("CC501")) {
        if (fault.kind == LibraryFaultKind::undecided) {
            add_undecided(fault, findings);
            continue;
        }
        const LoadedFile& library = fault.library();
        Finding& finding = add(findings, "CC501", level_of_dlls(fault, scenario, facts), subject_of(fault),
                               consequence_of(fault, facts) + ": " + is_not_there(fault.libraries));
        finding.package = package_without_cuda(fault);
        for (const LoadedFile& dll : fault.libraries) {
            finding.found.push_back(missing_evidence(dll));
            finding.expected.push_back(wanted_evidence(fault, dll));
        }
        if (fault.kind == LibraryFaultKind::delayed) {
            finding.level = Level::note;
            finding.subject = library.name + " of " + fault.trace->path;
            finding.message =
                fault.trace->path + " starts without " + library.name + " and fails at its first call";
            finding.because = "the DLL is delay-loaded: only a call of it needs the file";
        } else if (fault.family == LibraryFamily::driver) {
            add_driver(fault, finding);
        } else {
            add_missing(fault, scenario, facts, finding);
        }
    }
}

}  // namespace ptxguard
