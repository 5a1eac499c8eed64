// Scripts of the repository that a command starts or reads, and the arguments of scripts and functions. Inner
// header of the room.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <optional>
#include <vector>

#include "recipes/shell/shell.hpp"

namespace ptxguard::recipes {

// The variable with the path of the script that is read.
constexpr const char* k_source_file = "BASH_SOURCE";
// $0 and $BASH_SOURCE.
void set_path_of_script(const std::string& path, Variables& variables);
// In the repository below k_workspace, in an image in the folder where the shell starts.
std::string absolute_path(const std::string& path, const Shell& shell);
// The file of the repository at that path; nothing if its text is not known.
std::optional<FileText> file_named_by(const Written& at, const std::string& path, const Shell& shell);
// Files whose names start with k_workspace: those of the repository, `above` folders over the recipe's.
ReadFile below_workspace(const ReadFile& files, std::size_t above = 0);

struct NestedText;  // shell_run.hpp
struct CalledScript {
    std::shared_ptr<const ParsedShell> text;
    bool sourced = false;                                // `. FILE`: in the shell that reads it
    std::optional<std::vector<Written>> arguments = {};  // nothing: not known
    std::string path = {};                               // absolute
};
// `bash FILE A`, `./FILE A`, `. FILE`; nothing for other commands, and for files that are not in the
// repository.
std::optional<CalledScript> called_script(const Command& command, const Shell& shell);
// `. FILE` once more, of a file that only defines functions and variables: those that the shell has.
bool repeats_definitions(const CalledScript& called, const Shell& shell);
NestedText nested_script(const CalledScript& called, const Command& command);
// A script of a POSIX shell. What was parsed is kept for the next command that reads it; the first one costs
// steps.
std::shared_ptr<const ParsedShell> parsed_script(const FileText& script, Budget& budget);
// The script of `python FILE`, except setup.py, whose commands its own readers read.
struct CalledPython {
    FileText script;
    std::vector<Written> arguments;
    std::string path = {};  // as the command names it
};
std::optional<CalledPython> called_python(const Command& command, const Shell& shell);

// The words from `first` on; nothing if one is not known.
std::optional<std::vector<Written>> known_words(const std::vector<Written>& words, std::size_t first);
// $1 ... $9, $@, $* and, if all are known, $#.
void set_arguments(const std::vector<Written>& arguments, Variables& variables);
void restore_arguments(const Variables& before, Variables& variables);

}  // namespace ptxguard::recipes
