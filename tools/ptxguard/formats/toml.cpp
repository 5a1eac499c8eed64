// Only this translation unit includes the TOML library. Recursion and non-ASCII keys are limited before the
// library gets the text.
// SPDX-License-Identifier: Apache-2.0
#include "formats/toml.hpp"

#define TOML_HEADER_ONLY 1
#define TOML_EXCEPTIONS 0
#define TOML_MAX_NESTED_VALUES 32
#include <toml++/toml.h>

#include <algorithm>
#include <cctype>
#include <optional>

#include "formats/text_lines.hpp"
#include "model/text.hpp"

namespace ptxguard {
namespace {

// "a.b.c": the library nests a table, and calls itself, for each.
constexpr Limit k_deepest_key{32, "parts of a key", "the file"};
constexpr Limit k_deepest_value{30, "values in values", "the file"};  // before the library's own limit

// The end of the string that starts at `at`: basic or literal, of one or several lines.
std::size_t end_of_string(std::string_view text, std::size_t at) {
    const char quote = text[at];
    const bool several = text.substr(at, 3) == std::string(3, quote);
    const std::string_view end = text.substr(at, several ? 3 : 1);
    for (at += end.size(); at < text.size(); ++at) {
        if (text[at] == '\\' && quote == '"')
            ++at;
        else if (text.substr(at, end.size()) == end) {
            // A multi-line string may end with up to two more quotes of its text.
            at += end.size();
            for (int more = 0; several && more < 2 && at < text.size() && text[at] == quote; ++more) ++at;
            return at;
        } else if (text[at] == '\n' && !several)
            return at;
    }
    return text.size();
}

// Whether a key follows "[" or "[[".
bool has_name(std::string_view text, std::size_t at) {
    at += text.substr(at, 2) == "[[" ? 2 : 1;
    at = text.find_first_not_of(" \t", at);
    if (at == text.npos) return false;
    return is_word_character(text[at], "_-\"'");
}

// Assumptions of the library about a file, which may come from anybody.
class Form {
public:
    Form(const std::string& subject, std::string_view text) : m_subject(subject), m_text(text) {}

    std::optional<Trouble> check() {
        for (std::size_t at = m_text.substr(0, 3) == "\xEF\xBB\xBF" ? 3 : 0; at < m_text.size();) {
            const char c = m_text[at];
            if (c == '#') {
                at = std::min(m_text.find('\n', at), m_text.size());
                continue;
            }
            if (m_at_start && m_open == 0 && c == '[') {
                if (!has_name(m_text, at)) return trouble(at, "a table without a name");
                m_header = true;
            }
            if (c == '\n') m_at_start = true, m_header = false;
            if (!std::isspace(static_cast<unsigned char>(c))) m_at_start = false;
            if (c == '"' || c == '\'') {
                at = end_of_string(m_text, at);
                continue;
            }
            if (static_cast<unsigned char>(c) > 0x7e)
                return trouble(at, "a character outside of ASCII and of strings");
            count(c);
            if (exceeds(k_deepest_key, m_depth, at) || exceeds(k_deepest_value, m_open, at)) return m_reached;
            ++at;
        }
        return std::nullopt;
    }

private:
    void count(char c) {
        const auto is_one_of = [&](std::string_view some) { return some.find(c) != npos; };
        if (!m_header && is_one_of("[{")) ++m_open;
        if (!m_header && is_one_of("]}") && m_open > 0) --m_open;
        if (c == '.')
            ++m_depth;
        else if (is_one_of("=,[]{}\n"))
            m_depth = 0;
    }

    Trouble trouble(std::size_t at, const char* why) const {
        const auto end = m_text.begin() + static_cast<std::ptrdiff_t>(at);
        const auto line = std::count(m_text.begin(), end, '\n') + 1;
        return {m_subject + ":" + std::to_string(line), "is not valid TOML", why};
    }

    bool exceeds(const Limit& limit, std::size_t count, std::size_t at) {
        return limit.is_exceeded(count,
                                 [&](const Limit& one) { m_reached = one.trouble(trouble(at, "").subject); });
    }

    const std::string& m_subject;
    const std::string_view m_text;
    std::optional<Trouble> m_reached;
    std::size_t m_depth = 0;  // of a key
    std::size_t m_open = 0;   // brackets of a value, which may continue in the next line
    bool m_at_start = true, m_header = false;
};

class Converter {
public:
    explicit Converter(std::string_view text)
        : m_lines(lines_of(text)), m_ascii(characters_of(text) == text.size()) {}

    Tree tree(const toml::node& node) const {
        Tree result;
        set_place(result, node.source().begin);
        if (const toml::table* table = node.as_table()) {
            result.kind = Tree::Kind::map;
            for (auto&& [key, value] : *table) {
                Tree name;
                name.kind = Tree::Kind::scalar;
                name.text = key.str();
                set_place(name, key.source().begin);
                result.members.emplace_back(std::move(name), tree(value));
            }
            // The library sorts by name.
            std::stable_sort(result.members.begin(), result.members.end(), [](const auto& a, const auto& b) {
                return a.first.line != b.first.line ? a.first.line < b.first.line
                                                    : a.first.column < b.first.column;
            });
        } else if (const toml::array* array = node.as_array()) {
            result.kind = Tree::Kind::list;
            for (const toml::node& item : *array) result.items.push_back(tree(item));
        } else {
            scalar(node, result);
        }
        return result;
    }

private:
    void set_place(Tree& result, const toml::source_position& at) const {
        result.line = static_cast<int>(at.line);
        result.column = static_cast<int>(column_of(at));
    }

    // The library counts characters.
    std::size_t column_of(const toml::source_position& at) const {
        if (m_ascii || at.column == 0) return at.column;
        return bytes_of(line_at(static_cast<int>(at.line)), at.column - 1) + 1;
    }

    void scalar(const toml::node& node, Tree& result) const {
        result.kind = Tree::Kind::scalar;
        if (const auto text = node.value_exact<std::string>()) {
            result.text = *text;
            result.quoted = true;
            const std::string_view line = line_at(result.line);
            const auto at = static_cast<std::size_t>(std::max(result.column, 1)) - 1;
            const bool several = at < line.size() && line.substr(at, 3) == std::string(3, line[at]);
            if (!several) ++result.column;  // after the quote
        } else if (const auto number = node.value_exact<std::int64_t>()) {
            result.text = std::to_string(*number);
        } else if (const auto yes = node.value_exact<bool>()) {
            result.text = *yes ? "true" : "false";
        } else {
            // 3.10 is not 3.1: floats and dates as written.
            const auto begin = node.source().begin, end = node.source().end;
            const std::size_t first = column_of(begin), behind = column_of(end);
            const std::string_view line = line_at(result.line);
            if (begin.line == end.line && first > 0 && behind > first && behind <= line.size() + 1)
                result.text = line.substr(first - 1, behind - first);
        }
    }

    std::string_view line_at(int line) const {
        return line > 0 && static_cast<std::size_t>(line) <= m_lines.size()
                   ? m_lines[static_cast<std::size_t>(line) - 1]
                   : std::string_view{};
    }

    std::vector<std::string_view> m_lines;
    bool m_ascii;
};

}  // namespace

Result<Tree> read_toml(std::string_view text, const std::string& subject, const Limit& most_bytes) {
    if (auto trouble = most_bytes.trouble_beyond(text.size(), subject)) return *trouble;
    if (auto trouble = Form(subject, text).check()) return *trouble;
    toml::parse_result parsed = toml::parse(text);
    if (!parsed)
        return Trouble{subject + ":" + std::to_string(parsed.error().source().begin.line),
                       "is not valid TOML", std::string(parsed.error().description())};
    return Converter(text).tree(parsed.table());
}

}  // namespace ptxguard
