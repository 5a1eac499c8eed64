// What the DLL rules need from a trace: which library Windows does not find, and why the available files were
// not used. Inner header of the room.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "judge/rule.hpp"
#include "model/file_names.hpp"

namespace ptxguard {

// Each missing DLL has one fault, so that only one rule reports it: the one nearest to a fix wins.
enum class DllFault { none, missing, other_name, wrong_machine, not_searched };
DllFault fault_of(const LoadedFile& library);

struct DllCase {
    const LoadTrace* trace;
    const LoadedFile* library;
    const LoadLoser* loser;  // the file that has the fault; null for a missing one
};
// The required DLLs of Windows traces.
std::vector<DllCase> dll_cases(const Scenario& scenario, DllFault fault);

// A framework is reported once per folder of its DLLs; every other file once per DLL.
std::vector<std::vector<DllCase>> grouped(const std::vector<DllCase>& cases);
std::vector<std::string> names_of(const std::vector<DllCase>& group);

std::string subject_of(const DllCase& dll);      // "cublas64_12.dll of C:/app/x.dll"
std::string consequence_of(const DllCase& dll);  // "C:/app/x.dll does not load"
std::string subject_of(const std::vector<DllCase>& group);
std::string consequence_of(const std::vector<DllCase>& group, const Scenario& scenario, const Facts& facts);
// What a framework that nobody named lacks (its CUDA part is a plugin) is a warning if a GPU is named,
// otherwise a note.
Level level_of(const DllCase& dll, const Scenario& scenario, const Facts& facts);
Evidence loser_evidence(const LoadLoser& loser);
Evidence wanted_evidence(const DllCase& dll);
bool loaded_by_python(const LoadTrace& trace);
bool searches_path(const LoadTrace& trace);
bool comes_with_driver(const LoadedFile& library, const Facts& facts);
// Adds a folder to the search, in the way that works for this library.
Fix search_folder_fix(const DllCase& dll, const std::string& folder);

// How to install a DLL of that name; empty if not known.
std::vector<Fix> get_dll_fix(const std::string& name, const std::string& machine, const Facts& facts);
// How to install all DLLs of a group; a framework's CUDA is named once, by the release that it is built with.
std::vector<Fix> get_dlls_fix(const std::vector<DllCase>& group, const Scenario& scenario,
                              const Facts& facts);

}  // namespace ptxguard
