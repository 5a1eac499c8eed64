// The commands of a CMake file with their arguments as written (no variable is expanded, no if() is
// followed).
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace ptxguard {

struct CMakeCommand {
    std::string name;                    // lower case: "set"
    std::vector<std::string> arguments;  // without quotes or brackets; those of a condition are arguments
    std::vector<int> lines, columns;     // of each argument, after a quote; columns in bytes
    int line = 0, column = 0;            // from 1
};

// Comments and bracket comments are skipped; an unfinished last command is omitted.
std::vector<CMakeCommand> read_cmake_commands(std::string_view text);
// The index of the command that ends the foreach(), function() or macro() at `begin`; `last` if none before
// it.
std::size_t end_of_block(const std::vector<CMakeCommand>& commands, std::size_t begin, std::size_t last);
// The arguments of a foreach() that give its items, by their index. Nothing for RANGE and ZIP_LISTS.
struct ForeachItem {
    std::size_t argument = 0;
    bool list = false;  // the name of a list, behind LISTS
};
std::optional<std::vector<ForeachItem>> foreach_items(const CMakeCommand& command);
// "X" of "${X}"; empty for other words.
std::string dereferenced(const std::string& word);

}  // namespace ptxguard
