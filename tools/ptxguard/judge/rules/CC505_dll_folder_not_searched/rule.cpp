// CC505 dll_folder_not_searched: the DLL exists, in a folder that Windows does not search for this file.
// SPDX-License-Identifier: Apache-2.0
#include "judge/library_words.hpp"
#include "judge/module_questions.hpp"
#include "judge/toolkit_questions.hpp"
#include "model/file_names.hpp"

namespace ptxguard {
namespace {

// Adds a folder to the search, in a way that works for this library.
Fix search_folder_fix(const LibraryFault& fault, const std::string& folder) {
    const LoadTrace& trace = *fault.trace;
    const LoadHow how = fault.library().how;
    if (trace.host == DllHost::store_python)
        return by_hand(
            "install Python from python.org instead of the Microsoft Store's, and the packages into it");
    // LoadLibrary of a bare name searches PATH, but not the folders of os.add_dll_directory.
    const bool by_bare_name = how == LoadHow::dlopen || how == LoadHow::delay_load;
    if (trace.searches_path || by_bare_name) return prepend_list_entry("PATH", folder, System::windows);
    if (trace.host == DllHost::python) return {FixKind::edit, SAY("os.add_dll_directory(r'{}')", folder)};
    return by_hand(SAY("copy the DLLs of {} to the folder of the program that loads {}", folder, trace.path));
}

// Modules of the Python environment: cuDNN's installer does not add its folder to PATH.
void judge_unsearched_modules(const Scenario& scenario, const Facts& facts, Findings& findings) {
    for (const BrokenPackage& broken : broken_packages(scenario, facts)) {
        const std::string folder = folder_not_searched(broken);
        if (broken.fault != ModuleFault::library_missing || folder.empty() || broken.is_open()) continue;
        const std::vector<LoadedFile>& missing = broken.first().missing;
        const std::string names = names_of(missing);
        Composed finding =
            add_broken(
                broken, "CC505",
                SAY("{} {} {}: {} {} in {}, which is not searched", broken.name(),
                    missing.front().how != LoadHow::needed ? "uses no GPU without" : "does not load without",
                    names, missing.size() == 1 ? "it" : "they", are(missing.size()), folder),
                facts, findings)
                .because("nothing adds this folder to the search")
                .fix(prepend_list_entry("PATH", folder, System::windows));
        if (auto later = later_path_fix(scenario, folder)) finding->fix.insert(finding->fix.begin(), *later);
    }
}

}  // namespace

PTXGUARD_RULE(CC505) {
    if (scenario.system == System::windows) judge_unsearched_modules(scenario, facts, findings);
    for (const LibraryFault& fault : faults.reported_by("CC505")) {
        const AllAbout about(findings, fault.about);
        const LoadLoser& near = fault.near.front();
        const std::string folder = folder_of(near.path);
        Composed finding = add(findings, "CC505", level_of_dlls(fault, scenario, facts), subject_of(fault),
                               SAY("{}: {} {} in {}, which is not searched", consequence_of(fault, facts),
                                   names_of(fault.libraries), are(fault.libraries.size()), folder))
                               .expected(wanted_evidence(fault, fault.library()))
                               .because(near.why.empty() ? fault.library().because : near.why)
                               .fix(search_folder_fix(fault, folder));
        for (const LoadLoser& one : fault.near) finding.found(evidence_of(one));
        if (finding->fix.front().kind == FixKind::setting)
            if (auto later = later_path_fix(scenario, folder))
                finding->fix.insert(finding->fix.begin(), *later);
    }
}

}  // namespace ptxguard
