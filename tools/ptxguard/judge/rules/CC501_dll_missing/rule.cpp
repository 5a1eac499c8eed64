// CC501 dll_missing: Windows finds no file for a DLL that the process needs. A driver DLL is unknown: it
// comes with the driver, not with the build. A delay-loaded one is a note: the process starts without it.
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "judge/dll_questions.hpp"

namespace ptxguard {
namespace {

std::string runtime_of(const LoadedFile& library) {
    if (library.library.empty()) return library.name;
    if (library.cuda_major == 0) return library.name + " of NVIDIA's " + library.library;
    return library.name + " of CUDA " + std::to_string(library.cuda_major);
}

Finding& tell(const DllCase& dll, Level level, const std::string& message, Findings& findings) {
    Finding& finding = add(findings, "CC501", level, subject_of(dll), message);
    finding.found = {{dll.library->name, "no such file", Origin{}}};
    finding.found.front().origin.text = dll.library->because;
    finding.expected = {wanted_evidence(dll)};
    return finding;
}

// Report all missing DLLs of a framework at once: one cause, one fix.
void judge_framework(const std::vector<DllCase>& group, const Scenario& scenario, const Facts& facts,
                     Findings& findings) {
    Finding& finding = add(findings, "CC501", level_of(group.front(), scenario, facts), subject_of(group),
                           consequence_of(group, scenario, facts) + ": " + list(names_of(group)) +
                               (group.size() == 1 ? " is not there" : " are not there"));
    for (const DllCase& dll : group) {
        finding.found.push_back({dll.library->name, "no such file", Origin{}});
        finding.expected.push_back(wanted_evidence(dll));
    }
    finding.found.front().origin.text = group.front().library->because;
    finding.because = "Windows looks in these folders alone, and none of them holds a file of that name";
    finding.fix = get_dlls_fix(group, scenario, facts);
    if (finding.fix.empty())
        finding.fix = {{FixKind::manual, "put " + list(names_of(group)) + " into a folder that is searched"}};
}

void judge_missing(const DllCase& dll, const Facts& facts, Findings& findings) {
    if (comes_with_driver(*dll.library, facts)) {
        Finding& finding =
            tell(dll, Level::unknown, dll.library->name + " of the driver is not here", findings);
        finding.because =
            "it is installed with the driver, so the machine that runs " + dll.trace->path + " decides";
        finding.decide = {
            "the same question on that machine, or --root with a tree that holds its Windows/System32"};
        return;
    }
    Finding& finding =
        tell(dll, Level::error, consequence_of(dll) + ": " + dll.library->name + " is not there", findings);
    finding.because = "Windows looks in these folders alone, and none of them holds a file of that name";
    finding.fix = get_dll_fix(dll.library->name, dll.trace->machine, facts);
    // The folder of the file that opens a bare name is not searched.
    const bool beside = dll.library->how == LoadHow::needed;
    const std::string place =
        beside ? " beside " + dll.library->needed_by + ", or into a folder that is searched"
               : " into a folder that is searched";
    if ((beside && !dll.library->library.empty()) || finding.fix.empty())
        finding.fix.insert(finding.fix.begin(), {FixKind::manual, "put " + runtime_of(*dll.library) + place});
}

// A framework's missing driver is CC210's.
bool is_told_elsewhere(const LoadTrace& trace, const LoadedFile& library, const Facts& facts) {
    return !trace.framework.empty() && comes_with_driver(library, facts);
}

// Not needed before its first call.
void judge_delayed(const DllCase& dll, const Facts& facts, Findings& findings) {
    if (dll.library->library.empty() || comes_with_driver(*dll.library, facts)) return;
    Finding& finding =
        tell(dll, Level::note,
             dll.trace->path + " starts without " + dll.library->name + " and fails at the first call of it",
             findings);
    finding.because = "the DLL is loaded with delay: only a call of it needs the file";
}

// DLLs in folders that are not available (System32 of an unpacked tree, an unknown PATH): once per file.
void judge_undecided(const LoadTrace& trace, const Facts& facts, Findings& findings) {
    std::vector<std::string> names, causes;
    std::vector<Evidence> wanted;
    for (const LoadedFile& library : trace.libraries) {
        if (!library.undecided || library.taken || library.optional || library.how == LoadHow::text) continue;
        if (is_told_elsewhere(trace, library, facts)) continue;
        names.push_back(library.name);
        wanted.push_back(wanted_evidence({&trace, &library, nullptr}));
        if (std::find(causes.begin(), causes.end(), library.because) == causes.end())
            causes.push_back(library.because);
    }
    if (names.empty()) return;
    Finding& finding = add(findings, "CC501", Level::unknown, trace.path,
                           "whether " + trace.path + " gets " + list(names) + " cannot be told");
    finding.expected = wanted;
    for (const std::string& cause : causes) {
        finding.because += (finding.because.empty() ? "" : "; ") + cause;
        finding.decide.push_back(
            cause.find("PATH") != std::string::npos
                ? "the PATH of that system: --env PATH=..."
                : "the same question on that machine, or --root with a tree that holds its Windows/System32");
    }
}

}  // namespace

PTXGUARD_RULE(CC501) {
    std::vector<DllCase> missing = dll_cases(scenario, DllFault::missing);
    missing.erase(std::remove_if(
                      missing.begin(), missing.end(),
                      [&](const DllCase& dll) { return is_told_elsewhere(*dll.trace, *dll.library, facts); }),
                  missing.end());
    for (const std::vector<DllCase>& group : grouped(missing)) {
        if (group.front().trace->framework.empty())
            judge_missing(group.front(), facts, findings);
        else
            judge_framework(group, scenario, facts, findings);
    }
    if (scenario.system != System::windows) return;
    for (const LoadTrace& trace : scenario.traces) judge_undecided(trace, facts, findings);
    for (const LoadTrace& trace : scenario.traces)
        for (const LoadedFile& library : trace.libraries)
            if (library.how == LoadHow::delay_load && !library.taken && !library.undecided &&
                library.losers.empty())
                judge_delayed({&trace, &library, nullptr}, facts, findings);
}

}  // namespace ptxguard
