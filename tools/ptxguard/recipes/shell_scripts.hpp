// Scripts of the repository that a command starts or reads, and the arguments of scripts and functions. Inner
// header of the room.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <vector>

#include "recipes/shell.hpp"

namespace ptxguard::recipes {

struct CalledScript {
    PlacedText text{std::string()};
    bool sourced = false;                                // `. FILE`: in the shell that reads it
    std::optional<std::vector<Written>> arguments = {};  // nothing: not known
};
// `bash FILE A`, `./FILE A`, `. FILE`; nothing for other commands, and for files that are not in the
// repository.
std::optional<CalledScript> called_script(const Command& command, const Shell& shell);
// The script of `python FILE`, except setup.py, whose commands its own readers read.
std::optional<FileText> called_python(const Command& command, const Shell& shell);

// $1 ... $9, $@ and $*.
void set_arguments(const std::vector<Written>& arguments, Variables& variables);
void restore_arguments(const Variables& before, Variables& variables);

}  // namespace ptxguard::recipes
