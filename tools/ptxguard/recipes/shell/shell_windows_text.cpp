// SPDX-License-Identifier: Apache-2.0
#include "recipes/shell/shell_windows_text.hpp"

#include <algorithm>
#include <cctype>
#include <utility>

#include "model/ranges.hpp"
#include "model/text.hpp"

namespace ptxguard::recipes {

std::size_t behind_blanks(std::string_view text, std::size_t at, std::string_view blanks) {
    return std::min(text.find_first_not_of(blanks, at), text.size());
}

bool is_word_at(std::string_view text, std::size_t at, std::string_view word) {
    const std::size_t end = at + word.size();
    const bool ends =
        end >= text.size() || (!std::isalnum(text[end] & 0x7f) && text[end] != '-' && text[end] != '_');
    return ends && lower(text.substr(at, word.size())) == word;
}

static constexpr std::pair<std::string_view, std::string_view> k_long_texts[] = {
    {"@\"", "\n\"@"}, {"@'", "\n'@"}, {"<#", "#>"}};

// Behind the bracket that closes the one at `open`, outside of quotes and comments; npos = none.
std::size_t behind_bracket(std::string_view text, std::size_t open) {
    const char opens = text[open], closes = opens == '(' ? ')' : '}';
    std::size_t depth = 0;
    for (std::size_t i = open; i < text.size(); ++i) {
        const char c = text[i];
        const auto* longer =
            first_where(k_long_texts, [&](const auto& one) { return text.substr(i, 2) == one.first; });
        if (c == '`') {
            ++i;
        } else if (longer) {
            const std::size_t end = std::min(text.find(longer->second, i), text.size());
            i = std::min(end + longer->second.size(), text.size()) - 1;
        } else if (c == '"' || c == '\'') {
            const std::size_t close = text.find(c, i + 1);
            if (close == npos) return npos;
            i = close;
        } else if (c == '#' && (i == 0 || std::string_view(" \t\n").find(text[i - 1]) != npos)) {
            i = std::min(text.find('\n', i), text.size());
        } else if (c == opens) {
            ++depth;
        } else if (c == closes && --depth == 0) {
            return i + 1;
        }
    }
    return npos;
}

std::optional<Clause> clause_at(std::string_view text, std::size_t at, bool has_condition) {
    Clause clause;
    std::size_t next = behind_blanks(text, at);
    if (has_condition) {
        if (next >= text.size() || text[next] != '(') return std::nullopt;
        const std::size_t end = behind_bracket(text, next);
        if (end == npos) return std::nullopt;
        clause.condition = next + 1, clause.condition_end = end - 1;
        next = behind_blanks(text, end);
    }
    if (next >= text.size() || text[next] != '{') return std::nullopt;
    clause.behind = behind_bracket(text, next);
    if (clause.behind == npos) return std::nullopt;
    clause.body = next + 1, clause.body_end = clause.behind - 1;
    return clause;
}

// Of cmd: behind the line that closes the block whose "(" ends a line. npos = none.
std::size_t end_of_lines(std::string_view text, std::size_t at) {
    std::size_t depth = 1;
    for (at = text.find('\n', at); at != npos; at = text.find('\n', at)) {
        const std::size_t begin = behind_blanks(text, at, " \t\r\n");
        if (begin < text.size() && text[begin] == ')' && --depth == 0) return begin;
        at = std::min(text.find('\n', begin), text.size());
        const std::string_view line = trimmed(text.substr(begin, at - begin));
        if (!line.empty() && line.back() == '(') ++depth;
        if (at == text.size()) break;
    }
    return npos;
}

// Whether the "(" at `at` ends its line.
bool opens_lines(std::string_view text, std::size_t at) {
    const std::size_t end = std::min(text.find('\n', at), text.size());
    return at < end && text[at] == '(' && trimmed(text.substr(at + 1, end - at - 1)).empty();
}

std::string word_at(std::string_view text, std::size_t at) {
    return lower(text.substr(at, text.find_first_of(" \t\r\n", at) - at));
}

}  // namespace ptxguard::recipes
