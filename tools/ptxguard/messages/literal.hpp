// The fixed texts of a pattern (pattern.hpp) in the text of a log, from their begin and from their end.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string_view>

namespace ptxguard {

// Also a line break.
bool is_blank_in_log(char c);
// Where the blanks that end at `at` begin; `at` = none do.
std::size_t before_blanks(std::string_view text, std::size_t at);
// The length of the quotation mark at `at`, or 0.
std::size_t quote_length(std::string_view text, std::size_t at);
bool is_after_quote(std::string_view text, std::size_t at);
// A line break between two letters: terminals of fixed width break words.
bool is_broken_word(std::string_view text, std::size_t at);

// ".so" or ".dll" in a path.
bool has_library_suffix(std::string_view path);

// How rare a character is in logs: what is searched first is made of rare ones.
int rarity(char c);

// A hash of two letters, small or not.
inline constexpr std::size_t k_pair_bits = 1024;
inline std::size_t pair_bit(char one, char other) {
    return (static_cast<unsigned char>(one | 0x20) * 31u + static_cast<unsigned char>(other | 0x20)) %
           k_pair_bits;
}

// The end of `literal` in `text` at `at`, or npos. A quotation mark may be missing, but not if it is all
// there is between two values; `part`: the literal is a part of a longer one.
std::size_t literal_end(std::string_view literal, std::string_view text, std::size_t at, bool part = false);
// The begin of `literal` in `text` if it ends at `at`, or npos.
std::size_t literal_begin(std::string_view literal, std::string_view text, std::size_t at);

}  // namespace ptxguard
