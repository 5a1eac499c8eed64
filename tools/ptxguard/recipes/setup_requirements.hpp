// What a setup.py or setup.cfg requires, as text: its string literals and lists of them. Inner header of the
// room.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "recipes/placed_text.hpp"

namespace ptxguard::recipes {

struct Quoted {
    std::size_t begin = 0, end = 0;  // without the quotes
    bool formatted = false;          // f"..."
};
// The string literals, in order; comments and longer strings ("""...""") are omitted.
std::vector<Quoted> quoted_texts(std::string_view text);
// The first one that begins at `at` or later.
std::vector<Quoted>::const_iterator first_from(const std::vector<Quoted>& quoted, std::size_t at);

struct SetupRequirements {
    std::vector<WrittenRequirement> always;
    std::vector<std::pair<std::string, std::vector<WrittenRequirement>>> extras;  // none is empty
};
SetupRequirements requirements_of_script(const PlacedText& text, const std::vector<Quoted>& quoted);
SetupRequirements requirements_of_cfg(const PlacedText& text);

}  // namespace ptxguard::recipes
