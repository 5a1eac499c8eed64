// String functions for every room.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <initializer_list>
#include <string>
#include <string_view>
#include <vector>

namespace ptxguard {

inline constexpr std::size_t npos = std::string_view::npos;

bool ends_with(std::string_view text, std::string_view end);
bool starts_with(std::string_view text, std::string_view start);
bool starts_with_any(std::string_view text, std::initializer_list<std::string_view> starts);
std::string_view trimmed(std::string_view text);  // without blanks and line ends around it
std::string trim(std::string_view text);          // the same, as a copy
std::string lower(std::string_view text);         // ASCII only
std::string upper(std::string_view text);
std::string list(const std::vector<std::string>& words);  // "a, b and c"
// The first `most` as a list, then the number of the others: "a, b and 4 more".
std::string some_of(std::vector<std::string> words, std::size_t most);
std::vector<std::string> split(std::string_view text, std::string_view separators);  // drops empty pieces
// The longest runs of word characters.
std::vector<std::string> plain_words(std::string_view text, std::string_view others = "_");
std::vector<std::string> split_fields(std::string_view text, char separator);  // keeps them: at least one
// Every `from` becomes `to`; what is put there is not searched again.
std::string replace_all(std::string text, std::string_view from, std::string_view to);
std::string joined(const std::vector<std::string>& words, std::string_view separator);
// ASCII, in any locale.
inline bool is_digit(char c) { return c >= '0' && c <= '9'; }
inline bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }
inline bool is_word_character(char c,
                              std::string_view others = "_") {  // a letter, a digit, one of the others
    return is_letter(c) || is_digit(c) || others.find(c) != npos;
}
bool all_digits(std::string_view text);             // at least one
std::size_t length_of_name(std::string_view text);  // of the name of a variable at its start
bool is_name(std::string_view text);                // of a variable
void add_once(std::vector<std::string>& words, const std::string& word);  // skips empty words and duplicates
// FNV-1a, as 16 hexadecimal digits; another `start` gives another hash of the same bytes.
std::string fnv1a(std::string_view bytes, std::uint64_t start = 14695981039346656037u);
// The stem of a library name without the hash that auditwheel and delvewheel append: "libcublas-3965bdd0",
// "libcudart.3eda8113", "cudnn64_8-54d1dc6a9a1bb2ad9cbb7d1dd5b0b0ba".
std::string without_hash(std::string_view stem);

// Which known word was probably meant.

// Insertions, deletions, replacements and swaps of neighbours that turn a into b (bytes, case counts).
int edit_distance(std::string_view a, std::string_view b);
// The nearest of `known`, or "" if none is close: at most a third of the word's letters differ.
std::string nearest_word(std::string_view word, const std::vector<std::string>& known);
// ", did you mean 'X'?" or "".
std::string did_you_mean(std::string_view word, const std::vector<std::string>& known);

}  // namespace ptxguard
