// Where a word of the shell ends: quotes, escapes and nested expansions.
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "model/text.hpp"
#include "recipes/shell/shell_syntax.hpp"

namespace ptxguard::recipes {
namespace {

constexpr Limit k_deepest_word{60, "quotes and expansions in each other", "the text from here"};

// "$'a\'b'"
std::size_t skip_c_quotes(std::string_view text, std::size_t at) {
    for (std::size_t i = at; i < text.size(); ++i) {
        if (text[i] == '\\')
            ++i;
        else if (text[i] == '\'')
            return i + 1;
    }
    return npos;
}

std::size_t skip_backticks(std::string_view text, std::size_t at) {
    for (std::size_t i = at + 1; i < text.size(); ++i) {
        if (text[i] == '\\')
            ++i;
        else if (text[i] == '`')
            return i + 1;
    }
    return npos;
}

}  // namespace

HeredocMark::HeredocMark(std::string_view written, bool tabs) : strips_tabs(tabs) {
    for (const char c : written) {
        if (c == '\'' || c == '"' || c == '\\')
            expands = false;
        else
            word += c;
    }
}

bool HeredocMark::is_end(std::string_view line) const {
    if (!line.empty() && line.back() == '\r') line.remove_suffix(1);
    while (strips_tabs && !line.empty() && line.front() == '\t') line.remove_prefix(1);
    return line == word;
}

namespace {

// What is no word of the commands in "$( )" and of the items in "NAME=( )": comments and here-documents.
class Skipped {
public:
    explicit Skipped(std::string_view text) : m_text(text) {}

    // Behind the comment or "<<WORD" at `at`, or the bodies that start at the end of its line; `at`: none is
    // there.
    std::size_t skip(std::size_t at) {
        const bool starts_word = at == 0 || std::string_view(" \t\n").find(m_text[at - 1]) != npos;
        if (m_text[at] == '#' && starts_word) return std::min(m_text.find('\n', at), m_text.size());
        if (m_text[at] == '\n' && !m_marks.empty()) return behind_bodies(at + 1);
        if (m_text.substr(at, 2) != "<<") return at;
        if (m_text.substr(at, 3) == "<<<") return at + 3;
        const bool tabs = m_text.substr(at, 3) == "<<-";
        std::size_t begin = at + (tabs ? 3 : 2);
        while (begin < m_text.size() && m_text[begin] == ' ') ++begin;
        const std::size_t end = std::min(m_text.find_first_of(" \t\r\n;&|<>()", begin), m_text.size());
        HeredocMark mark(m_text.substr(begin, end - begin), tabs);
        if (!is_name(mark.word)) return at;  // of arithmetic
        m_marks.push_back(std::move(mark));
        return end;
    }

private:
    std::size_t behind_bodies(std::size_t at) {
        for (const HeredocMark& mark : std::exchange(m_marks, {}))
            for (bool ends = false; !ends && at < m_text.size();) {
                const std::size_t end = std::min(m_text.find('\n', at), m_text.size());
                ends = mark.is_end(m_text.substr(at, end - at));
                at = std::min(end + 1, m_text.size());
            }
        return at;
    }

    std::string_view m_text;
    std::vector<HeredocMark> m_marks;
};

// Each function gives the offset after what starts at `at`; npos = it is not closed, or too deep.
class Skipper {
public:
    Skipper(std::string_view text, const Limit*& reached) : m_text(text), m_reached(reached) {}

    // A character, a quoted text or an expansion.
    std::size_t one(std::size_t at, std::size_t depth) {
        if (is_too_deep(depth)) return npos;
        switch (m_text[at]) {
            case '\\': return at + 2 < m_text.size() ? at + 2 : m_text.size();
            case '\'': {
                const std::size_t end = m_text.find('\'', at + 1);
                return end == npos ? npos : end + 1;
            }
            case '"': return double_quoted(at, depth + 1);
            case '`': return skip_backticks(m_text, at);
            case '$': return dollar(at, depth + 1);
            default: return at + 1;
        }
    }

    std::size_t dollar(std::size_t at, std::size_t depth) {
        if (is_too_deep(depth)) return npos;
        const char next = at + 1 < m_text.size() ? m_text[at + 1] : ' ';
        if (next == '{') return behind(at + 2, '\0', '}', depth);
        if (next == '(') return behind_substitution(at + 2, depth);
        if (next == '\'') return skip_c_quotes(m_text, at + 2);
        if (is_letter(next) || next == '_') return at + 1 + length_of_name(m_text.substr(at + 1));
        const bool special =
            is_digit(next) || (next != ' ' && std::string_view("@*#?-$!").find(next) != npos);
        return special ? at + 2 : at + 1;
    }

    // The `close` of this level.
    std::size_t behind(std::size_t at, char open, char close, std::size_t depth) {
        int level = 1;
        Skipped skipped(m_text);
        for (std::size_t i = at; i < m_text.size();) {
            const std::size_t behind_skipped = close == ')' ? skipped.skip(i) : i;
            if (behind_skipped != i) {
                i = behind_skipped;
                continue;
            }
            if (m_text[i] == close && --level == 0) return i + 1;
            if (m_text[i] == open) ++level;
            i = one(i, depth);
            if (i == npos) return npos;
        }
        return npos;
    }

    // The patterns of `case` end with brackets of their own: "$(case $a in x) echo 1;; esac)".
    std::size_t behind_substitution(std::size_t at, std::size_t depth) {
        const std::size_t plain = behind(at, '(', ')', depth);
        const bool has_case = m_text.substr(at, plain == npos ? npos : plain - at).find("case ") != npos;
        const std::size_t end = has_case ? behind_cases(at, depth) : npos;
        return end == npos ? plain : end;
    }

private:
    bool is_word_at(std::size_t at, std::string_view word) const {
        const auto separates = [&](std::size_t i) {
            return i >= m_text.size() || std::string_view(" \t\r\n;&|()").find(m_text[i]) != npos;
        };
        return m_text.substr(at, word.size()) == word && separates(at + word.size()) &&
               (at == 0 || separates(at - 1));
    }

    std::size_t behind_cases(std::size_t at, std::size_t depth) {
        int level = 1, cases = 0;
        int level_of_case = 0;
        Skipped skipped(m_text);
        for (std::size_t i = at; i < m_text.size();) {
            if (const std::size_t behind_skipped = skipped.skip(i); behind_skipped != i) {
                i = behind_skipped;
                continue;
            }
            if (is_word_at(i, "case") && cases++ == 0) level_of_case = level;
            if (is_word_at(i, "esac")) cases = cases > 0 ? cases - 1 : 0;
            const bool of_pattern = m_text[i] == ')' && cases > 0 && level == level_of_case;
            if (m_text[i] == ')' && !of_pattern && --level == 0) return i + 1;
            if (m_text[i] == '(') ++level;
            i = one(i, depth);
            if (i == npos) return npos;
        }
        return npos;
    }

    bool is_too_deep(std::size_t depth) {
        return k_deepest_word.is_exceeded(depth, [&](const Limit& limit) { m_reached = &limit; });
    }

    std::size_t double_quoted(std::size_t at, std::size_t depth) {
        for (std::size_t i = at + 1; i < m_text.size();) {
            if (m_text[i] == '"') return i + 1;
            if (m_text[i] == '\'')
                ++i;  // not a quote here
            else
                i = one(i, depth);
            if (i == npos) return npos;
        }
        return npos;
    }

    std::string_view m_text;
    const Limit*& m_reached;
};

}  // namespace

std::size_t end_of_dollar(std::string_view text, std::size_t at, const Limit*& reached) {
    return Skipper(text, reached).dollar(at, 0);
}

std::size_t end_of_parentheses(std::string_view text, std::size_t at, const Limit*& reached) {
    return Skipper(text, reached).behind(at + 1, '(', ')', 0);
}

std::size_t end_of_word(std::string_view text, std::size_t at, const Limit*& reached) {
    Skipper skipper(text, reached);
    const std::size_t begin = at;
    while (at < text.size()) {
        const char c = text[at];
        if (c == '\\' && text.substr(at + 1, 2) == "\r\n") {
            at += 3;
            continue;
        }
        // NAME=(...) and NAME+=(...) of bash
        const bool array = c == '(' && at > begin && text[at - 1] == '=';
        if (!array && std::string_view(" \t\r\n;&|<>()").find(c) != npos) return at;
        at = array ? skipper.behind(at + 1, '(', ')', 0) : skipper.one(at, 0);
        if (at == npos) return npos;
    }
    return at;
}

}  // namespace ptxguard::recipes
