// Where words, brackets and blocks of cmd and PowerShell end. Inner header of the room.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

namespace ptxguard::recipes {

std::size_t behind_blanks(std::string_view text, std::size_t at, std::string_view blanks = " \t\r\n");
bool is_word_at(std::string_view text, std::size_t at, std::string_view word);
// Of PowerShell: Get-Content and its aliases.
inline constexpr std::string_view k_readers_of_files[] = {"get-content", "gc", "cat", "type"};
// In lower case, up to a blank.
std::string word_at(std::string_view text, std::size_t at);
// Behind the bracket that closes the one at `open`, outside of quotes and comments; npos = none.
std::size_t behind_bracket(std::string_view text, std::size_t open);

// "( ... )" and the "{ ... }" behind it.
struct Clause {
    std::size_t condition = npos, condition_end = npos;  // inside of the brackets
    std::size_t body = npos, body_end = npos, behind = npos;
};
std::optional<Clause> clause_at(std::string_view text, std::size_t at, bool has_condition);

// Of cmd: behind the line that closes the block whose "(" ends a line. npos = none.
std::size_t end_of_lines(std::string_view text, std::size_t at);
// Whether the "(" at `at` ends its line.
bool opens_lines(std::string_view text, std::size_t at);

}  // namespace ptxguard::recipes
