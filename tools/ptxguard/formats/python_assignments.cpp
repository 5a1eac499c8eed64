// A small tokenizer for Python (strings, names, numbers, brackets), and just enough grammar for assignments.
// SPDX-License-Identifier: Apache-2.0
#include "formats/python_assignments.hpp"

#include <algorithm>
#include <optional>

#include "formats/text_lines.hpp"
#include "model/text.hpp"

namespace ptxguard {
namespace {

constexpr int k_max_depth = 20;

struct Token {
    enum class Kind { name, text, number, symbol, line_end, end };
    Kind kind = Kind::end;
    std::string text;
    int line = 0;
    bool at_margin = false;  // first of its line, in column 1
    bool broken = false;     // a string without its end
};

class Tokenizer {
public:
    explicit Tokenizer(std::string_view text) : m_text(text) {}

    std::vector<Token> all() {
        std::vector<Token> tokens;
        do tokens.push_back(next());
        while (tokens.back().kind != Token::Kind::end);
        return tokens;
    }

private:
    char at(std::size_t ahead = 0) const {
        return m_at + ahead < m_text.size() ? m_text[m_at + ahead] : '\0';
    }
    bool done() const { return m_at >= m_text.size(); }

    // Its length; 0 = none is there.
    std::size_t line_break(std::size_t ahead) const {
        if (at(ahead) == '\r' && at(ahead + 1) == '\n') return 2;
        return at(ahead) == '\n' || at(ahead) == '\r' ? 1 : 0;
    }

    // Blanks, comments and joined lines. True at the end of the line.
    bool skip_blanks() {
        while (!done()) {
            if (at() == '#') {
                m_at = std::min(m_text.find_first_of("\r\n", m_at), m_text.size());
            } else if (at() == '\\' && line_break(1) > 0) {
                m_at += 1 + line_break(1);
                ++m_line;
                m_margin = false;
            } else if (const std::size_t length = line_break(0)) {
                m_at += length;
                return true;
            } else if (std::string_view(" \t\f").find(at()) != npos) {
                ++m_at;
                m_margin = false;
            } else {
                return false;
            }
        }
        return false;
    }

    Token next() {
        Token token;
        if (skip_blanks()) {
            token.kind = Token::Kind::line_end;
            token.line = m_line++;
            m_margin = true;
            return token;
        }
        token.line = m_line;
        token.at_margin = m_margin;
        m_margin = false;
        if (done()) return token;
        const std::size_t prefix = string_prefix();
        if (at(prefix) == '"' || at(prefix) == '\'') return string(token, prefix);
        const std::size_t start = m_at;
        if (is_letter(at()) || at() == '_') {
            while (is_word_character(at())) ++m_at;
            token.kind = Token::Kind::name;
        } else if (is_digit(at())) {
            while (is_word_character(at()) || at() == '.') ++m_at;
            token.kind = Token::Kind::number;
        } else {
            ++m_at;
            token.kind = Token::Kind::symbol;
        }
        token.text = std::string(m_text.substr(start, m_at - start));
        return token;
    }

    std::size_t string_prefix() const {
        std::size_t length = 0;
        while (length < 2 && std::string_view("rRbBuUfF").find(at(length)) != std::string_view::npos &&
               at(length))
            ++length;
        return at(length) == '"' || at(length) == '\'' ? length : 0;
    }

    Token string(Token token, std::size_t prefix) {
        token.kind = Token::Kind::text;
        const std::string_view letters = m_text.substr(m_at, prefix);
        const bool raw = letters.find_first_of("rR") != std::string_view::npos;
        token.broken = letters.find_first_of("fF") != std::string_view::npos;  // computed: not a literal
        m_at += prefix;
        const char quote = at();
        std::string end(3, quote);
        if (m_text.substr(m_at, 3) != end) end.resize(1);
        for (m_at += end.size(); !done(); ++m_at) {
            if (m_text.substr(m_at, end.size()) == end) {
                m_at += end.size();
                return token;
            }
            if (end.size() == 1 && line_break(0) > 0) break;
            if (at() == '\\' && m_at + 1 < m_text.size()) {
                if (raw || (at(1) != quote && at(1) != '\\')) token.text += '\\';
                ++m_at;
            }
            if (at() == '\n') ++m_line;
            token.text += at();
        }
        token.broken = true;
        return token;
    }

    std::string_view m_text;
    std::size_t m_at = 0;
    int m_line = 1;
    bool m_margin = true;
};

class AssignmentReader {
public:
    explicit AssignmentReader(std::vector<Token> tokens) : m_tokens(std::move(tokens)) {}

    std::vector<PythonAssignment> all() {
        std::vector<PythonAssignment> assignments;
        bool line_start = true;
        while (peek().kind != Token::Kind::end) {
            if (line_start && peek().kind == Token::Kind::name && peek().at_margin)
                if (auto assignment = read_assignment()) assignments.push_back(std::move(*assignment));
            line_start = peek().kind == Token::Kind::line_end;
            if (is_open(peek()))
                skip_brackets();
            else
                take();
        }
        return assignments;
    }

private:
    const Token& peek(std::size_t ahead = 0) const {
        return m_tokens[m_at + ahead < m_tokens.size() ? m_at + ahead : m_tokens.size() - 1];
    }
    void take() {
        if (m_at + 1 < m_tokens.size()) ++m_at;
    }
    bool symbol(const char* text, std::size_t ahead = 0) const {
        return peek(ahead).kind == Token::Kind::symbol && peek(ahead).text == text;
    }
    static bool is_open(const Token& token) {
        return token.kind == Token::Kind::symbol && token.text.find_first_of("([{") != std::string::npos;
    }
    static bool is_close(const Token& token) {
        return token.kind == Token::Kind::symbol && token.text.find_first_of(")]}") != std::string::npos;
    }
    void skip_line_ends() {
        while (peek().kind == Token::Kind::line_end) take();
    }
    void skip_brackets() {
        int depth = 0;
        do {
            if (is_open(peek())) ++depth;
            if (is_close(peek())) --depth;
            take();
        } while (depth > 0 && peek().kind != Token::Kind::end);
    }

    std::optional<PythonAssignment> read_assignment() {
        PythonAssignment assignment;
        assignment.name = peek().text;
        assignment.line = peek().line;
        std::size_t sign = 1;
        if (symbol(":", 1))
            while (peek(sign).kind != Token::Kind::line_end && peek(sign).kind != Token::Kind::end &&
                   !symbol("=", sign))
                ++sign;
        if (!symbol("=", sign) || symbol("=", sign + 1)) return std::nullopt;
        m_at += sign + 1;
        const std::size_t start = m_at;
        assignment.value = value(0);
        const bool ends =
            peek().kind == Token::Kind::line_end || peek().kind == Token::Kind::end || symbol(";");
        if (!ends || assignment.value.kind == PythonValue::Kind::other) {
            assignment.value = PythonValue{};
            assignment.value.line = assignment.line;
            m_at = start;
            collect_pairs(assignment);
        }
        return assignment;
    }

    // Pairs of a dict or OrderedDict up to the end of the statement.
    void collect_pairs(PythonAssignment& assignment) {
        int depth = 0;
        while (peek().kind != Token::Kind::end && (depth > 0 || peek().kind != Token::Kind::line_end)) {
            const bool tuple =
                depth > 0 && symbol("(") && peek(1).kind == Token::Kind::text && symbol(",", 2);
            const bool entry = depth > 0 && peek().kind == Token::Kind::text && symbol(":", 1);
            if (is_open(peek())) ++depth;
            if (is_close(peek())) --depth;
            if (tuple || entry) {
                if (tuple) take();
                std::string key = peek().text;
                take();
                take();
                skip_line_ends();
                assignment.pairs.emplace_back(std::move(key), value(0));
            } else {
                take();
            }
        }
    }

    PythonValue value(int depth) {
        PythonValue value;
        const Token& token = peek();
        value.line = token.line;
        if (token.kind == Token::Kind::text) return text_value();
        if (token.kind == Token::Kind::number) {
            value.kind = PythonValue::Kind::number;
            value.text = token.text;
        } else if (token.kind == Token::Kind::name) {
            if (token.text == "None") value.kind = PythonValue::Kind::none;
            if (token.text == "True" || token.text == "False") value.kind = PythonValue::Kind::boolean;
            value.truth = token.text == "True";
            if (value.kind == PythonValue::Kind::other) return value;
        } else if ((symbol("[") || symbol("(")) && depth < k_max_depth) {
            return list_value(depth);
        } else {
            return value;
        }
        take();
        return value;
    }

    // Adjacent literals are one string, as in Python.
    PythonValue text_value() {
        PythonValue value;
        value.kind = PythonValue::Kind::text;
        value.line = peek().line;
        for (; peek().kind == Token::Kind::text; take()) {
            value.text += peek().text;
            if (peek().broken) value.kind = PythonValue::Kind::other;
        }
        return value;
    }

    PythonValue list_value(int depth) {
        PythonValue list;
        list.line = peek().line;
        take();
        skip_line_ends();
        while (!is_close(peek())) {
            list.items.push_back(value(depth + 1));
            skip_line_ends();
            if (symbol(","))
                take();
            else if (!is_close(peek()))
                return PythonValue{};
            skip_line_ends();
        }
        take();
        list.kind = PythonValue::Kind::list;
        return list;
    }

    std::vector<Token> m_tokens;
    std::size_t m_at = 0;
};

}  // namespace

const PythonValue* PythonAssignment::find(std::string_view key) const {
    for (auto pair = pairs.rbegin(); pair != pairs.rend(); ++pair)
        if (pair->first == key) return &pair->second;
    return nullptr;
}

std::vector<PythonAssignment> read_python_assignments(std::string_view text) {
    return AssignmentReader(Tokenizer(without_mark(text)).all()).all();
}

const PythonValue* value_of(const std::vector<PythonAssignment>& assignments, std::string_view name) {
    for (auto it = assignments.rbegin(); it != assignments.rend(); ++it)
        if (it->name == name) return &it->value;
    return nullptr;
}

}  // namespace ptxguard
