// What the rules about loaded libraries ask of a trace: which ones belong together and do not fit, which copy
// a variable hides, what nobody defines. Inner header of the room.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "facts/libraries.hpp"
#include "judge/rule.hpp"

namespace ptxguard {

// Two libraries of one set that are taken and are not of one release. `library` is the one that suffers.
struct MixedPair {
    LoadedFile library;
    LoadedFile other;  // that it gets
    LibrarySet set;
    bool proven = false;  // names that `library` asks `other` for are not defined
    bool other_is_older = false;
};
std::vector<MixedPair> mixed_pairs(const LoadTrace& trace, const Facts& facts);

// Brings back the files of packages whose records alone are left ("nvidia-cudnn"); nothing where none is so.
std::vector<Fix> reinstall_fix(const LoadTrace& trace, const std::string& beginning = {});
bool is_taken(const LoadedFile& library);
// The first that was passed over for that reason; null where none was.
const LoadLoser* loser_of(const LoadedFile& library, LoadLost lost);
std::string folder_of_library(const LoadedFile& library);  // that it is taken from; empty = none
// "libcudnn_cnn.so.9 and libcudnn_ops.so.9 9.12.0": of one version; at most three names.
std::string titles_of(const std::vector<LoadedFile>& libraries);
// The process cannot do without it: needed or preloaded, not just named in a text or opened where it is
// there.
bool is_needed_to_start(const LoadedFile& library);
bool is_of_driver(const LoadedFile& library, const Facts& facts);
// LD_LIBRARY_PATH or LD_PRELOAD decided; empty = neither.
std::string deciding_variable(const LoadedFile& library);
// Of the undefined names of a file, those that it asks of the file `other`.
std::vector<std::string> names_asked_of(const std::vector<std::string>& undefined_names,
                                        const LoadedFile& other);

std::string title_of(const LoadedFile& library);                            // "libcublas.so.12 12.8.4.1"
std::string subject_of(const LoadTrace& trace, const LoadedFile& library);  // "libcublas.so.12 of /app/x"
Evidence evidence_of(const LoadedFile& library);  // name = version, with path and the rule that took it
// Gives the library the copy that it came with, in the words of what decided.
std::vector<Fix> same_release_fix(const LoadedFile& wrong, const LoadedFile& right, const Facts& facts);

}  // namespace ptxguard
