// How the rules about libraries name what they found, and the fixes that several of them share. Inner header
// of the room.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "judge/library_faults.hpp"

namespace ptxguard {

std::string title_of(const LoadedFile& library);  // "libcublas.so.12 12.8.4.1"
// "libcudnn_cnn.so.9 and libcudnn_ops.so.9 9.12.0": libraries of one version.
std::string titles_of(const std::vector<LoadedFile>& libraries);
// All of them; beyond `shown` only their number: "a, b, c and 4 more".
std::string names_of(const std::vector<LoadedFile>& libraries, std::size_t shown = 100);
// "a and b are not found", or "a cannot be loaded: file too short"
const char* are(std::size_t count);  // "is" one of them, "are" several
std::string is_not_there(const std::vector<LoadedFile>& libraries);
// The damaged file at which the loader's search for it ends; null = none.
const LoadLoser* damaged_file(const LoadedFile& library);
const LoadLoser* damaged_file(const LibraryFault& fault);
// The fix for it: reinstall its package, otherwise restore the file.
std::vector<Fix> damaged_fix(const LibraryFault& fault, const std::string& component = {});
std::string subject_of(const LibraryFault& fault);  // "libcublas.so.12 of /app/x"
// "TensorFlow 2.18.0"; without a framework the traced file.
std::string process_name(const LoadTrace& trace, const Expectation* framework);
Version version_of_major(int major);

Evidence evidence_of(const LoadedFile& library);  // name = version, with its path and the rule that found it
Evidence evidence_of(const LoadLoser& loser);     // a file that is not taken
Evidence missing_evidence(const LoadedFile& library);  // "no such file", and where it was searched
Evidence wanted_evidence(const LibraryFault& fault, const LoadedFile& library);

// Of the undefined symbols of a file, those bound to the file `other`.
std::vector<std::string> names_asked_of(const std::vector<std::string>& undefined_names,
                                        const LoadedFile& other);
bool same_windows_folder(const std::string& a, const std::string& b);  // of two files

// The variable that puts the wrong copy first; empty = none.
std::vector<Fix> variable_fix(const LoadedFile& library, System system);
// Same as Finding::entry; for two libraries the second's, if a variable found it.
std::string entry_of(const LoadedFile& library);
std::string entry_of(const LoadedFile& library, const LoadedFile& other);
// Makes the loader use the library's own copy, by changing the deciding setting.
std::vector<Fix> same_release_fix(const LoadedFile& wrong, const LoadedFile& right, System system,
                                  const Facts& facts);
// Restores the files of packages of which only the record is left ("cudnn"; empty = all); nothing = there is
// none.
std::vector<Fix> reinstall_fix(const LoadTrace& trace, const std::string& component = {});
// How to install a library of that name in a searched folder; of several wheels that of the CUDA major (0 =
// not known).
std::vector<Fix> get_library_fix(const std::string& name, const Facts& facts, int cuda_major = 0);
// Of all these libraries, for a process of that CUDA (0 = not known): their wheels first, in one line.
// By NVIDIA's wheels alone; nothing if none of them has one of these libraries.
std::optional<Fix> get_wheels_fix(const std::vector<LoadedFile>& libraries, int cuda_major,
                                  const Facts& facts);
std::vector<Fix> get_libraries_fix(const std::vector<LoadedFile>& libraries, int cuda_major,
                                   const Facts& facts);
// The same for the DLLs of a fault; a framework's CUDA is listed once, by the release that it is built with.
std::vector<Fix> get_dlls_fix(const LibraryFault& fault, const Facts& facts);
// Without a Python NVIDIA's wheels are of no use.
std::vector<Fix> get_dlls_fix(const std::vector<LoadedFile>& libraries, const Facts& facts, bool has_python);

// On Windows, what the missing DLLs do: "C:/app/x.dll does not load", "TensorFlow cannot use a GPU".
std::string consequence_of(const LibraryFault& fault, const Facts& facts);
// A library that a framework lacks (its CUDA part is a plugin) is a warning if a GPU is named, otherwise a
// note; unless the framework itself was named.
Level level_of_dlls(const LibraryFault& fault, const Scenario& scenario, const Facts& facts);
// The process starts without the library: it opens it later, or its CUDA part is a plugin.
bool starts_without(const LibraryFault& fault, const Facts& facts);
// The level of a missing cuDNN, by whether it would be used.
Level level_of_cudnn(const LibraryFault& fault, const Scenario& scenario, const Facts& facts);
// From that release its modules need CUDA's libraries at first use, not at import.
bool needs_cuda_at_use(const LoadTrace& trace, const Expectation* framework, const Facts& facts);

}  // namespace ptxguard
