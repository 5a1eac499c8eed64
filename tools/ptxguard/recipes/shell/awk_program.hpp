// A program of awk that prints fields: {print $2}, /cuda/ {print $1"."$NF}, NR==2 {printf "%s;", $1}. Inner
// header of the room.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "recipes/base/recipe.hpp"
#include "recipes/shell/line_pattern.hpp"

namespace ptxguard::recipes {

class AwkProgram {
public:
    // `words`: of the command. Nothing: it does something else, or reads a file.
    static std::optional<AwkProgram> read(const std::vector<Written>& words);
    // Nothing: it is not known.
    std::optional<std::string> written(const std::vector<std::string>& lines) const;

private:
    using Fields = std::vector<std::string>;
    struct Part {
        std::string text;
        std::size_t field = npos;  // k_last: "$NF"
    };
    static constexpr std::size_t k_last = npos - 1;

    bool condition(std::string_view& program);
    bool action(std::string_view program);
    bool part(std::string_view& rest);
    std::optional<Fields> fields_of(const std::string& line) const;

    std::string m_by;                        // "" = blanks
    std::optional<LinePattern> m_separator;  // of several characters
    std::optional<LinePattern> m_where;
    std::size_t m_line = 0;  // NR; 0 = any
    bool m_formats = false;
    std::vector<Part> m_parts;
};

}  // namespace ptxguard::recipes
