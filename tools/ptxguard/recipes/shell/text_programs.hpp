// What programs write that only change or make text: cut, tr, awk, sort, head, paste, xargs, printf. Inner
// header of the room.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "recipes/base/recipe.hpp"

namespace ptxguard::recipes {

// Programs that read the file which their last word names.
bool reads_named_file(const std::string& program);

// Of the text that the program reads, with the line breaks at its end. Nothing: another program, or it is not
// known what it writes.
std::optional<std::string> written_of(const std::vector<Written>& words, const std::string& text);

// printf "%s\n" A B, echo -n A B, seq 1 3. Nothing: the same.
std::optional<std::string> written_without_input(const std::vector<Written>& words);

}  // namespace ptxguard::recipes
