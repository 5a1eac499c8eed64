// Regular expressions of grep and sed. What they have besides characters, classes, repetition, groups,
// alternatives and the ends of a line is not read. Inner header of the room.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "model/ranges.hpp"
#include "model/text.hpp"

namespace ptxguard::recipes {

struct PatternForm {
    bool extended = false;  // -E; false: "\(", "\|" and "\+" are the operators
    bool literal = false;   // -F
    bool any_case = false;  // -i
};

class LinePattern {
public:
    // Nothing if it contains what is not read.
    static std::optional<LinePattern> read(std::string_view text, PatternForm form);

    struct Found {
        std::size_t begin = npos, end = npos;  // of the first longest match; npos: none
        bool known = true;                     // false: it takes too many steps to decide
    };
    Found find(std::string_view line, std::size_t from = 0) const;

private:
    struct Atom;
    using Atoms = std::vector<Atom>;
    struct Atom {
        enum class Kind { one, begin, end, edge, group } kind = Kind::one;
        std::vector<bool> bytes = {};  // `one`: those that it accepts
        std::vector<Atoms> choices = {};
        std::size_t least = 1, most = 1;
    };
    struct Run;
    class Reader;

    std::vector<Atoms> m_choices;
};

}  // namespace ptxguard::recipes
