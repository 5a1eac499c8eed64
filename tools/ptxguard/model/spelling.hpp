// Which known word was probably meant.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace ptxguard {

// Insertions, deletions, replacements and swaps of neighbours that turn a into b (bytes, case counts).
int edit_distance(std::string_view a, std::string_view b);
// The nearest of `known`, or "" where none is close: at most a third of the word's letters differ.
std::string nearest_word(std::string_view word, const std::vector<std::string>& known);
// ", did you mean 'X'?" or "".
std::string did_you_mean(std::string_view word, const std::vector<std::string>& known);

}  // namespace ptxguard
