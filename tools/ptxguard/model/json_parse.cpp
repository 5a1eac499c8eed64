// JSON text -> Json, by RFC 8259: depth is limited, the text must be UTF-8.
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <iterator>
#include <utility>
#include <vector>

#include "model/json.hpp"
#include "model/text.hpp"
#include "model/visible.hpp"

namespace ptxguard {
namespace {

constexpr int k_max_depth = 200;

class Parser {
public:
    explicit Parser(std::string_view text) : m_text(text) {
        if (starts_with(text, "\xef\xbb\xbf")) m_at = 3;
    }

    bool document(Json& into) {
        if (!value(into, 0)) return false;
        return skip_blanks() == '\0' && m_at >= m_text.size() ? true : fail("text after the value");
    }

    std::string_view cause;
    std::size_t position() const { return std::min(m_at, m_text.size()); }

private:
    bool fail(std::string_view why) {
        cause = why;
        return false;
    }
    char here() const { return m_at < m_text.size() ? m_text[m_at] : '\0'; }
    char skip_blanks() {
        while (here() == ' ' || here() == '\n' || here() == '\r' || here() == '\t') ++m_at;
        return here();
    }
    bool value(Json& into, int depth);
    bool array(Json& into, int depth);
    bool object(Json& into, int depth);
    bool word(std::string_view text, Json value, Json& into);
    bool number(Json& into);
    bool skip_number(bool& whole);
    bool digits();
    bool string(std::string& into);
    bool escape(std::string& into);
    bool four_digits(unsigned& code);

    std::string_view m_text;
    std::size_t m_at = 0;
    // Of the arrays and objects that are not closed yet.
    std::vector<Json> m_items;
    std::vector<Json::Member> m_members;
};

bool Parser::value(Json& into, int depth) {
    const char first = skip_blanks();
    if ((first == '{' || first == '[') && depth == k_max_depth) return fail("nested deeper than 200");
    switch (first) {
        case '{': return object(into, depth + 1);
        case '[': return array(into, depth + 1);
        case '"': return string(into.become_text());
        case 't': return word("true", Json(true), into);
        case 'f': return word("false", Json(false), into);
        case 'n': return word("null", Json(), into);
        default: return first == '-' || is_digit(first) ? number(into) : fail("a value is missing");
    }
}

// The last values of `open`, from `first` on, in a list of exactly their number.
template <typename Value>
std::vector<Value> taken(std::vector<Value>& open, std::size_t first) {
    const auto start = open.begin() + static_cast<std::ptrdiff_t>(first);
    std::vector<Value> values(std::make_move_iterator(start), std::make_move_iterator(open.end()));
    open.erase(start, open.end());
    return values;
}

bool Parser::array(Json& into, int depth) {
    const std::size_t first = m_items.size();
    ++m_at;
    if (skip_blanks() != ']')
        for (;; ++m_at) {
            Json item;
            if (!value(item, depth)) return false;
            m_items.push_back(std::move(item));
            if (skip_blanks() == ']') break;
            if (here() != ',') return fail("',' or ']' is missing");
        }
    ++m_at;
    into = Json::array(taken(m_items, first));
    return true;
}

bool Parser::object(Json& into, int depth) {
    const std::size_t first = m_members.size();
    ++m_at;
    if (skip_blanks() != '}')
        for (;; ++m_at) {
            if (skip_blanks() != '"') return fail("a name in \"\" is missing");
            Json::Member member;
            if (!string(member.first)) return false;
            if (skip_blanks() != ':') return fail("':' is missing");
            ++m_at;
            if (!value(member.second, depth)) return false;
            m_members.push_back(std::move(member));
            if (skip_blanks() == '}') break;
            if (here() != ',') return fail("',' or '}' is missing");
        }
    ++m_at;
    into = Json::object(taken(m_members, first));
    return true;
}

bool Parser::word(std::string_view text, Json value, Json& into) {
    if (!starts_with(m_text.substr(m_at), text)) return fail("a value is missing");
    m_at += text.size();
    into = std::move(value);
    return true;
}

bool Parser::digits() {
    if (!is_digit(here())) return fail("a digit is missing");
    while (is_digit(here())) ++m_at;
    return true;
}

// `whole` becomes false for one with a fraction or an exponent.
bool Parser::skip_number(bool& whole) {
    if (here() == '-') ++m_at;
    if (here() == '0')
        ++m_at;
    else if (!digits())
        return false;
    if (here() == '.') {
        whole = false;
        ++m_at;
        if (!digits()) return false;
    }
    if (here() == 'e' || here() == 'E') {
        whole = false;
        ++m_at;
        if (here() == '-' || here() == '+') ++m_at;
        if (!digits()) return false;
    }
    return true;
}

bool Parser::number(Json& into) {
    const std::size_t start = m_at;
    bool whole = true;
    if (!skip_number(whole)) return false;
    const std::string text(m_text.substr(start, m_at - start));
    constexpr std::size_t k_always_fits = 18;
    if (whole && text.size() <= k_always_fits) {
        into = Json(static_cast<std::int64_t>(std::strtoll(text.c_str(), nullptr, 10)));
        return true;
    }
    const double real = std::strtod(text.c_str(), nullptr);
    if (!std::isfinite(real)) return fail("the number is too large");
    const std::int64_t integer = whole ? std::strtoll(text.c_str(), nullptr, 10) : 0;
    into = whole && std::to_string(integer) == text ? Json(integer) : Json(real);
    return true;
}

bool Parser::string(std::string& into) {
    for (++m_at;;) {
        const std::size_t start = m_at;
        for (; m_at < m_text.size(); ++m_at) {
            const auto c = static_cast<unsigned char>(m_text[m_at]);
            if (c == '"' || c == '\\' || c < ' ') break;
            if (c < 0x80) continue;
            const std::size_t bytes = letter_at(m_text, m_at).bytes;
            if (bytes == 0) return fail("the text is not UTF-8");
            m_at += bytes - 1;
        }
        into.append(m_text.substr(start, m_at - start));
        if (m_at >= m_text.size()) return fail("'\"' is missing");
        if (here() == '"') return ++m_at, true;
        if (here() != '\\') return fail("a control character in a text");
        ++m_at;
        if (!escape(into)) return false;
    }
}

bool Parser::four_digits(unsigned& code) {
    code = 0;
    for (int i = 0; i < 4; ++i, ++m_at) {
        const char c = here();
        const unsigned digit = is_digit(c)            ? static_cast<unsigned>(c - '0')
                               : c >= 'a' && c <= 'f' ? static_cast<unsigned>(c - 'a') + 10
                               : c >= 'A' && c <= 'F' ? static_cast<unsigned>(c - 'A') + 10
                                                      : 16;
        if (digit == 16) return fail("\\u needs four hexadecimal digits");
        code = code * 16 + digit;
    }
    return true;
}

bool Parser::escape(std::string& into) {
    constexpr std::string_view k_letters = "\"\\/bfnrt", k_meant = "\"\\/\b\f\n\r\t";
    const std::size_t known = m_at < m_text.size() ? k_letters.find(here()) : std::string_view::npos;
    if (known == std::string_view::npos && here() != 'u') return fail("an unknown escape");
    ++m_at;
    if (known != std::string_view::npos) {
        into += k_meant[known];
        return true;
    }
    unsigned code = 0, low = 0;
    if (!four_digits(code)) return false;
    if (code >= 0xd800 && code < 0xdc00) {
        if (!starts_with(m_text.substr(m_at), "\\u")) return fail("half of a surrogate pair");
        m_at += 2;
        if (!four_digits(low)) return false;
        if (low < 0xdc00 || low > 0xdfff) return fail("half of a surrogate pair");
        code = 0x10000 + ((code - 0xd800) << 10) + (low - 0xdc00);
    } else if (code >= 0xdc00 && code <= 0xdfff) {
        return fail("half of a surrogate pair");
    }
    add_utf8(into, code);
    return true;
}

}  // namespace

Result<Json> parse_json(std::string_view text, const std::string& subject) {
    Json root;
    Parser parser(text);
    if (parser.document(root)) return root;
    const auto end = text.begin() + static_cast<std::ptrdiff_t>(parser.position());
    return Trouble{subject,
                   "is not valid JSON in line " + std::to_string(std::count(text.begin(), end, '\n') + 1),
                   std::string(parser.cause)};
}

}  // namespace ptxguard
