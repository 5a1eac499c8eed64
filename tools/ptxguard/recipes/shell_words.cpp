// Where a word of the shell ends: quotes, escapes and nested expansions.
// SPDX-License-Identifier: Apache-2.0
#include "model/text.hpp"
#include "recipes/shell_syntax.hpp"

namespace ptxguard::recipes {
namespace {

constexpr int k_deepest_word = 60;

bool letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; }

std::size_t skip_one(std::string_view text, std::size_t at, int depth);

// After the closing quote of the one at `at`.
std::size_t skip_double(std::string_view text, std::size_t at, int depth) {
    for (std::size_t i = at + 1; i < text.size();) {
        if (text[i] == '"') return i + 1;
        if (text[i] == '\'')
            ++i;  // not a quote here
        else
            i = skip_one(text, i, depth);
        if (i == npos) return npos;
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

// Up to the `close` of this level.
std::size_t skip_to(std::string_view text, std::size_t at, char open, char close, int depth) {
    int level = 1;
    for (std::size_t i = at; i < text.size();) {
        if (text[i] == close && --level == 0) return i + 1;
        if (text[i] == open) ++level;
        i = skip_one(text, i, depth);
        if (i == npos) return npos;
    }
    return npos;
}

// After a character, a quoted text or an expansion.
std::size_t skip_one(std::string_view text, std::size_t at, int depth) {
    if (depth > k_deepest_word) return npos;
    switch (text[at]) {
        case '\\':
            return at + 2 < text.size() ? at + 2 : text.size();
        case '\'': {
            const std::size_t end = text.find('\'', at + 1);
            return end == npos ? npos : end + 1;
        }
        case '"':
            return skip_double(text, at, depth + 1);
        case '`':
            return skip_backticks(text, at);
        case '$':
            return end_of_dollar(text, at, depth + 1);
        default:
            return at + 1;
    }
}

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

}  // namespace

std::size_t end_of_dollar(std::string_view text, std::size_t at, int depth) {
    if (depth > k_deepest_word) return npos;
    const char next = at + 1 < text.size() ? text[at + 1] : ' ';
    if (next == '{') return skip_to(text, at + 2, '\0', '}', depth);
    if (next == '(') return skip_to(text, at + 2, '(', ')', depth);
    if (next == '\'') return skip_c_quotes(text, at + 2);
    if (letter(next)) return at + 1 + length_of_name(text.substr(at + 1));
    const bool special = is_digit(next) || (next != ' ' && std::string_view("@*#?-$!").find(next) != npos);
    return special ? at + 2 : at + 1;
}

std::size_t end_of_word(std::string_view text, std::size_t at) {
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
        at = array ? skip_to(text, at + 1, '(', ')', 0) : skip_one(text, at, 0);
        if (at == npos) return npos;
    }
    return at;
}

std::size_t length_of_name(std::string_view text) {
    std::size_t i = 0;
    while (i < text.size() && (letter(text[i]) || (i > 0 && is_digit(text[i])))) ++i;
    return i;
}

bool is_name(std::string_view text) { return !text.empty() && length_of_name(text) == text.size(); }

}  // namespace ptxguard::recipes
