// What the rules about loaded libraries need from a trace: sets that do not match, copies that a variable
// shadows, symbols that nothing defines. Inner header of the room.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "facts/libraries.hpp"
#include "judge/rule.hpp"

namespace ptxguard {

// Two resolved libraries of one set that are not of one release. `library` is the one that fails.
struct MixedPair {
    LoadedFile library;
    LoadedFile other;  // the one that it gets
    LibrarySet set;
    bool proven = false;  // symbols that `library` needs from `other` are not defined
    bool other_is_older = false;
};
std::vector<MixedPair> mixed_pairs(const LoadTrace& trace, const Facts& facts);

// Restores the files of packages of which only the record is left ("cudnn"; empty = all); nothing if there is
// none.
std::vector<Fix> reinstall_fix(const LoadTrace& trace, const std::string& component = {});
bool is_taken(const LoadedFile& library);
// The first file that was skipped for that reason; null if none was.
const LoadLoser* loser_of(const LoadedFile& library, LoadLost lost);
std::string folder_of_library(const LoadedFile& library);  // folder of the resolved file; empty = none
// "libcudnn_cnn.so.9 and libcudnn_ops.so.9 9.12.0": libraries of one version; at most three names.
std::string titles_of(const std::vector<LoadedFile>& libraries);
// The process requires it: needed or preloaded, not only named in a string or opened if it exists.
bool is_needed_to_start(const LoadedFile& library);
bool is_of_driver(const LoadedFile& library, const Facts& facts);
// LD_LIBRARY_PATH or LD_PRELOAD decided; empty = neither.
std::string deciding_variable(const LoadedFile& library);
// Of the undefined symbols of a file, those bound to the file `other`.
std::vector<std::string> names_asked_of(const std::vector<std::string>& undefined_names,
                                        const LoadedFile& other);

std::string title_of(const LoadedFile& library);                            // "libcublas.so.12 12.8.4.1"
std::string subject_of(const LoadTrace& trace, const LoadedFile& library);  // "libcublas.so.12 of /app/x"
Evidence evidence_of(const LoadedFile& library);  // name = version, with its path and the rule that found it
// Makes the loader use the library's own copy, by changing what decided.
std::vector<Fix> same_release_fix(const LoadedFile& wrong, const LoadedFile& right, const Facts& facts);

}  // namespace ptxguard
