// SPDX-License-Identifier: Apache-2.0
#include "recipes/python/python_code.hpp"

#include <algorithm>

#include "model/text.hpp"

namespace ptxguard::recipes {
namespace {

bool begins_name(char c) { return c == '_' || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }
bool is_of_name(char c) { return begins_name(c) || is_digit(c); }

class PythonLexer {
public:
    PythonLexer(std::string_view text, Place start) : m_text(text), m_place(start) {}

    std::vector<PythonLine> read() {
        while (m_at < m_text.size()) one();
        finish();
        return std::move(m_lines);
    }

private:
    char here(std::size_t ahead = 0) const {
        return m_at + ahead < m_text.size() ? m_text[m_at + ahead] : '\0';
    }

    void step(std::size_t count) {
        for (; count > 0 && m_at < m_text.size(); --count, ++m_at) {
            const bool ends = m_text[m_at] == '\n';
            m_place.line += ends;
            m_place.column = ends ? 1 : m_place.column + 1;
        }
    }

    void finish() {
        if (!m_line.tokens.empty()) m_lines.push_back(std::move(m_line));
        m_line = {};
    }

    void one() {
        const char c = here();
        if (c == '\n') {
            if (m_depth == 0) finish();
            step(1);
            m_indentation = 0;
            m_begins = true;
        } else if (c == ' ' || c == '\t' || c == '\r') {
            m_indentation += m_begins;
            step(1);
        } else if (c == '\\' && (here(1) == '\n' || here(1) == '\r')) {
            step(here(1) == '\r' ? 3 : 2);
        } else if (c == '#') {
            step(std::min(m_text.find('\n', m_at), m_text.size()) - m_at);
        } else if (c == ';' && m_depth == 0) {
            finish();
            step(1);
        } else {
            m_begins = false;
            if (m_line.tokens.empty()) m_line.indentation = m_indentation;
            token();
        }
    }

    void token() {
        std::size_t prefix = 0;
        while (prefix < 2 && std::string_view("rRbBfFuU").find(here(prefix)) != npos && here(prefix))
            ++prefix;
        if (here(prefix) == '"' || here(prefix) == '\'') return literal(prefix);
        PythonToken token;
        token.at = m_place;
        std::size_t length = 1;
        if (begins_name(here())) {
            token.kind = PythonToken::Kind::name;
            while (is_of_name(here(length))) ++length;
        } else if (is_digit(here())) {
            token.kind = PythonToken::Kind::number;
            while (is_of_name(here(length)) || here(length) == '.') ++length;
        } else {
            length = length_of_sign();
            count_bracket(here());
        }
        token.text = m_text.substr(m_at, length);
        step(length);
        m_line.tokens.push_back(std::move(token));
    }

    std::size_t length_of_sign() const {
        for (const std::string_view sign : {"==", "!=", ">=", "<=", "+=", "-=", "|=", "->", ":=", "**", "//"})
            if (m_text.substr(m_at, 2) == sign) return 2;
        return 1;
    }

    void count_bracket(char c) {
        if (c == '(' || c == '[' || c == '{') ++m_depth;
        if ((c == ')' || c == ']' || c == '}') && m_depth > 0) --m_depth;
    }

    void literal(std::size_t prefix) {
        PythonToken token;
        token.kind = PythonToken::Kind::text;
        const std::string marks = lower(m_text.substr(m_at, prefix));
        const bool raw = marks.find('r') != npos;
        token.formatted = marks.find('f') != npos;
        step(prefix);
        const char quote = here();
        const bool is_long = here(1) == quote && here(2) == quote;
        step(is_long ? 3 : 1);
        token.at = m_place;
        while (m_at < m_text.size()) {
            if (here() == quote && (!is_long || (here(1) == quote && here(2) == quote))) break;
            if (here() == '\n' && !is_long) break;
            if (here() == '\\' && !raw)
                escape(token.text);
            else
                token.text += here(), step(1);
        }
        if (here() == quote) step(is_long ? 3 : 1);
        m_line.tokens.push_back(std::move(token));
    }

    void escape(std::string& text) {
        const char c = here(1);
        step(2);
        if (c == '\n') return;
        if (c == 'n' || c == 't')
            text += c == 'n' ? '\n' : '\t';
        else if (c == '\\' || c == '\'' || c == '"')
            text += c;
        else if (c)
            text += {'\\', c};
    }

    std::string_view m_text;
    Place m_place;
    std::size_t m_at = 0;
    int m_depth = 0;  // of brackets
    std::size_t m_indentation = 0;
    bool m_begins = true;  // only blanks so far in the line
    PythonLine m_line;
    std::vector<PythonLine> m_lines;
};

}  // namespace

std::vector<PythonLine> python_lines(std::string_view text) { return PythonLexer(text, {1, 1}).read(); }

std::vector<PythonToken> python_tokens(std::string_view text, Place at) {
    std::vector<PythonLine> lines = PythonLexer(text, at).read();
    return lines.size() == 1 ? std::move(lines.front().tokens) : std::vector<PythonToken>{};
}

}  // namespace ptxguard::recipes
