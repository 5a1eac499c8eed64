// The commands of sed that change or leave out single lines. Inner header of the room.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "recipes/base/recipe.hpp"
#include "recipes/shell/line_pattern.hpp"

namespace ptxguard::recipes {

inline constexpr std::size_t k_longest_line = 4000;

// A part of a replacement: a text, or what a group of the pattern matched ("&" is 0).
struct Replacement {
    std::string text;
    std::size_t group = npos;
};

// One command of sed: /RE/d, 3d, s/RE/TEXT/g, /RE/s/RE/TEXT/.
struct SedCommand {
    std::optional<LinePattern> where;
    std::size_t first = 0, last = npos;  // numbers of lines
    bool elsewhere = false;              // "!"
    char does = 0;                       // 'd', 's', 'p'
    std::optional<LinePattern> pattern;
    std::vector<Replacement> by;
    std::size_t nth = 1;  // of the matches in a line
    bool everywhere = false, prints = false;
};

struct Sed {
    PatternForm form;
    bool in_place = false, quiet = false, known = true;
    std::vector<std::string> scripts;
    std::vector<SedCommand> commands;
    std::vector<Written> files;
};

Sed read_sed(const std::vector<Written>& words);
// What it writes for a line; nothing: it is not known.
std::optional<std::vector<std::string>> lines_of_sed(const Sed& sed, std::string_view text,
                                                     std::size_t number);
// The first operand is the script where no option is one.
void take_script(std::vector<Written>& files, std::vector<std::string>& scripts);

}  // namespace ptxguard::recipes
