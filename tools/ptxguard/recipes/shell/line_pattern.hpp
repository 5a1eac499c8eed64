// Regular expressions of grep and sed. What they have besides characters, classes, repetition, groups,
// alternatives, the ends of a line and the "(?<=", "(?=" and "\K" of grep -P is not read. Inner header of the
// room.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "model/ranges.hpp"
#include "model/text.hpp"
#include "recipes/shell/shell_syntax.hpp"

namespace ptxguard::recipes {

struct PatternForm {
    bool extended = false;  // -E; false: "\(", "\|" and "\+" are the operators
    bool literal = false;   // -F
    bool any_case = false;  // -i
    bool perl = false;      // -P, with `extended`
};

class LinePattern {
public:
    // Nothing if it contains what is not read.
    static std::optional<LinePattern> read(std::string_view text, PatternForm form);

    struct Found {
        std::size_t begin = npos, end = npos;  // of the first longest match; npos: none
        bool known = true;                     // false: it takes too many steps to decide
        std::vector<Range> groups = {};        // "\1" and the later ones; begin = npos: not matched
    };
    Found find(std::string_view line, std::size_t from = 0) const;

private:
    struct Atom;
    using Atoms = std::vector<Atom>;
    struct Atom {
        // `from`, `to`: the match begins or ends here, whatever is matched around it.
        enum class Kind { one, begin, end, edge, group, from, to } kind = Kind::one;
        std::vector<bool> bytes = {};  // `one`: those that it accepts
        std::vector<Atoms> choices = {};
        std::size_t number = npos;  // of the group
        std::size_t least = 1, most = 1;
    };
    struct Run;
    class Reader;

    std::vector<Atoms> m_choices;
    std::size_t m_groups = 0;
    bool m_first = false;  // of all matches the first one counts, not the longest one
};

}  // namespace ptxguard::recipes
