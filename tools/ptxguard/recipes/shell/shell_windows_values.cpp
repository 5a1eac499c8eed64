// SPDX-License-Identifier: Apache-2.0
#include "recipes/shell/shell_windows_values.hpp"

#include <algorithm>
#include <charconv>

#include "model/text.hpp"
#include "recipes/shell/shell_syntax.hpp"

namespace ptxguard::recipes {
namespace {

class LiteralReader {
public:
    LiteralReader(std::string_view text, std::size_t begin) : m_text(text), m_at(begin) {}

    std::optional<PowerShellLiteral> read() {
        for (const std::string_view type : {"[ordered]", "[pscustomobject]", "[hashtable]"})
            if (lower(m_text.substr(m_at, type.size())) == type) m_at += type.size();
        const std::string json = collection(0);
        if (m_failed) return std::nullopt;
        return PowerShellLiteral{json, m_at};
    }

private:
    static constexpr int k_deepest = 10;

    char here() const { return m_at < m_text.size() ? m_text[m_at] : '\0'; }

    std::string fail() {
        m_failed = true;
        return "";
    }

    void blanks(std::string_view all) {
        while (m_at < m_text.size()) {
            if (here() == '#')
                m_at = std::min(m_text.find('\n', m_at), m_text.size());
            else if (all.find(here()) == npos)
                return;
            else
                ++m_at;
        }
    }

    std::string collection(int depth) {
        const std::string_view start = m_text.substr(m_at, 2);
        if (depth > k_deepest || (start != "@{" && start != "@(")) return fail();
        m_at += 2;
        const bool table = start == "@{";
        std::string json(1, table ? '{' : '[');
        for (bool first = true; !m_failed; first = false) {
            blanks(table ? " \t\r\n;" : " \t\r\n;,");
            if (here() == (table ? '}' : ')')) break;
            if (!first) json += ',';
            if (table) json += key() + ":";
            json += table ? values(depth) : value(depth);
        }
        ++m_at;
        return json + (table ? '}' : ']');
    }

    std::string key() {
        std::string name;
        if (here() == '\'' || here() == '"') {
            name = quoted();
        } else {
            const std::size_t length = length_of_name(m_text.substr(m_at));
            if (length == 0) return fail();
            name = "\"" + std::string(m_text.substr(m_at, length)) + "\"";
            m_at += length;
        }
        blanks(" \t\r\n");
        if (here() != '=') return fail();
        ++m_at;
        blanks(" \t\r\n");
        return name;
    }

    // "a", "b" is a list.
    std::string values(int depth) {
        std::string json = value(depth);
        bool several = false;
        for (blanks(" \t"); !m_failed && here() == ','; blanks(" \t")) {
            ++m_at;
            blanks(" \t\r\n");
            json += "," + value(depth);
            several = true;
        }
        return several ? "[" + json + "]" : json;
    }

    std::string value(int depth) {
        if (here() == '@') return collection(depth + 1);
        if (here() == '\'' || here() == '"') return quoted();
        for (const std::string_view word : {"$true", "$false", "$null"})
            if (lower(m_text.substr(m_at, word.size())) == word) {
                m_at += word.size();
                return std::string(word.substr(1));
            }
        const std::size_t end = std::min(m_text.find_first_not_of("0123456789.", m_at), m_text.size());
        if (end == m_at) return fail();
        const std::string number(m_text.substr(m_at, end - m_at));
        m_at = end;
        return number;
    }

    // Without variables.
    std::string quoted() {
        const char quote = here();
        const std::size_t close = m_text.find(quote, m_at + 1);
        if (close == npos) return fail();
        const std::string_view inside = m_text.substr(m_at + 1, close - m_at - 1);
        if (inside.find_first_of("\"\\`\n") != npos || (quote == '"' && inside.find('$') != npos))
            return fail();
        m_at = close + 1;
        return "\"" + std::string(inside) + "\"";
    }

    std::string_view m_text;
    std::size_t m_at;
    bool m_failed = false;
};

}  // namespace

std::optional<std::string> part_of_value(const std::string& value, std::string_view part) {
    if (starts_with(part, "~")) {
        const auto size = static_cast<long>(value.size());
        long at[2] = {0, size};
        std::string_view rest = part.substr(1);
        for (long& number : at) {
            const auto [end, error] = std::from_chars(rest.data(), rest.data() + rest.size(), number);
            if (error != std::errc()) return std::nullopt;
            rest.remove_prefix(static_cast<std::size_t>(end - rest.data()));
            if (rest.empty()) break;
            if (rest[0] != ',') return std::nullopt;
            rest.remove_prefix(1);
        }
        const long begin = std::clamp(at[0] < 0 ? size + at[0] : at[0], 0L, size);
        const long end = std::clamp(at[1] < 0 ? size + at[1] : begin + at[1], begin, size);
        return value.substr(static_cast<std::size_t>(begin), static_cast<std::size_t>(end - begin));
    }
    const std::size_t equals = part.find('=');
    if (equals == npos || equals == 0 || part[0] == '*') return std::nullopt;
    return replace_all(value, part.substr(0, equals), part.substr(equals + 1));
}

std::optional<WindowsReference> windows_reference(std::string_view text, std::size_t at, bool powershell) {
    WindowsReference found;
    if (!powershell) {
        const std::size_t end = text[at] == '%' ? text.find('%', at + 1) : npos;
        if (end == npos || end == at + 1 || text.find('\n', at) < end) return std::nullopt;
        found.name = text.substr(at + 1, end - at - 1);
        found.behind = end + 1;
        const std::size_t colon = found.name.find(':');
        if (colon != npos) {
            found.part = found.name.substr(colon + 1);
            found.name = found.name.substr(0, colon);
        }
        return found;
    }
    if (text[at] != '$') return std::nullopt;
    const bool braces = text.substr(at + 1, 1) == "{";
    std::size_t begin = at + 1 + braces;
    if (lower(text.substr(begin, 4)) == "env:") begin += 4;
    found.name = text.substr(begin, length_of_name(text.substr(begin)));
    found.behind = begin + found.name.size();
    if (braces && text.substr(found.behind, 1) == "}") ++found.behind;
    return found.name.empty() ? std::nullopt : std::optional(found);
}

std::size_t end_of_call(std::string_view text, std::size_t open) {
    std::size_t depth = 0;
    for (std::size_t i = open; i < text.size() && text[i] != '\n'; ++i) {
        if (text[i] == '"' || text[i] == '\'') i = std::min(text.find(text[i], i + 1), text.size());
        if (i == text.size()) break;
        depth += text[i] == '(';
        if (text[i] == ')' && --depth == 0) return i + 1;
    }
    return npos;
}

std::optional<PowerShellLiteral> powershell_literal(std::string_view text, std::size_t begin) {
    return LiteralReader(text, begin).read();
}

}  // namespace ptxguard::recipes
