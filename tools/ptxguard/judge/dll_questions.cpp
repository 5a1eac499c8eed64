// SPDX-License-Identifier: Apache-2.0
#include "judge/dll_questions.hpp"

#include <algorithm>

#include "facts/libraries.hpp"

namespace ptxguard {
namespace {

const LoadLoser* loser_of(const LoadedFile& library, LoadLost lost) {
    for (const LoadLoser& loser : library.losers)
        if (loser.lost == lost) return &loser;
    return nullptr;
}

const LoadLoser* culprit(const LoadedFile& library, DllFault fault) {
    switch (fault) {
        case DllFault::not_searched: return loser_of(library, LoadLost::not_searched);
        case DllFault::wrong_machine: return loser_of(library, LoadLost::other_machine);
        case DllFault::other_name: return loser_of(library, LoadLost::other_name);
        case DllFault::missing:
        case DllFault::none: break;
    }
    return nullptr;
}

bool is_needed(const LoadedFile& library) {
    return !library.taken && !library.optional && !library.undecided && library.how != LoadHow::text;
}

}  // namespace

DllFault fault_of(const LoadedFile& library) {
    if (!is_needed(library)) return DllFault::none;
    for (DllFault fault : {DllFault::not_searched, DllFault::wrong_machine, DllFault::other_name})
        if (culprit(library, fault)) return fault;
    return DllFault::missing;
}

std::vector<DllCase> dll_cases(const Scenario& scenario, DllFault fault) {
    std::vector<DllCase> cases;
    if (scenario.system != System::windows) return cases;
    for (const LoadTrace& trace : scenario.traces)
        for (const LoadedFile& library : trace.libraries)
            if (fault_of(library) == fault) cases.push_back({&trace, &library, culprit(library, fault)});
    return cases;
}

std::string file_of(const std::string& path) { return path.substr(path.find_last_of("/\\") + 1); }

std::string folder_of(const std::string& path) {
    const std::size_t end = path.find_last_of("/\\");
    return end == std::string::npos ? "" : path.substr(0, end);
}

std::string subject_of(const DllCase& dll) { return dll.library->name + " of " + dll.trace->path; }

std::string consequence_of(const DllCase& dll) {
    if (dll.library->how == LoadHow::dlopen) return dll.trace->path + " fails when " + dll.library->name + " is opened";
    return dll.trace->path + " does not load";
}

Evidence loser_evidence(const LoadLoser& loser) {
    return {file_of(loser.path), loser.version ? loser.version->text : "is there", Origin::from_file(loser.path)};
}

Evidence wanted_evidence(const DllCase& dll) {
    Origin origin = Origin::from_file(dll.library->needed_by);
    origin.text = (dll.library->how == LoadHow::dlopen ? "opened by " : "needed by ") + dll.library->needed_by;
    const std::string& machine = dll.trace->machine;
    return {dll.library->name, machine.empty() ? "one that is found" : "for " + machine, origin};
}

bool loaded_by_python(const LoadTrace& trace) {
    return std::any_of(trace.remarks.begin(), trace.remarks.end(),
                       [](const std::string& remark) { return remark.compare(0, 16, "loaded by Python") == 0; });
}

bool searches_path(const LoadTrace& trace) {
    return std::any_of(trace.searched.begin(), trace.searched.end(),
                       [](const std::string& folder) { return folder.find("(PATH") != std::string::npos; });
}

bool comes_with_driver(const LoadedFile& library, const Facts& facts) {
    const auto name = library_by_file_name(facts, library.name);
    return name && name->driver;
}

Fix search_folder_fix(const LoadTrace& trace, const std::string& folder) {
    if (loaded_by_python(trace) && !searches_path(trace))
        return {FixKind::edit, "os.add_dll_directory(r'" + folder + "')"};
    if (searches_path(trace))
        return {FixKind::command, "$env:PATH = " + shell_word(folder + ";", System::windows) + " + $env:PATH"};
    return {FixKind::manual, "copy the DLLs of " + folder + " to the folder of the program that loads " + trace.path};
}

}  // namespace ptxguard
