// SPDX-License-Identifier: Apache-2.0
#include "messages/literal.hpp"

#include "messages/pattern.hpp"
#include "model/text.hpp"

namespace ptxguard {
namespace {

// "nvcc fatal   : ", "nvcc fatal: "
bool is_before_colon(std::string_view literal, std::size_t at) {
    return at + 1 < literal.size() && literal[at + 1] == ':';
}

std::size_t behind_blanks(std::string_view text, std::size_t at) {
    while (at < text.size() && is_blank_in_log(text[at])) ++at;
    return at;
}

// Behind the letter `c` at `at`, large or small, or behind the one that a line break is before; npos =
// another.
std::size_t letter_end(char c, std::string_view text, std::size_t at) {
    if (text[at] == k_line_break && is_broken_word(text, at)) ++at;
    return at < text.size() && small_letter(text[at]) == small_letter(c) ? at + 1 : npos;
}
std::size_t letter_begin(char c, std::string_view text, std::size_t at) {
    if (text[at - 1] == k_line_break && is_broken_word(text, at - 1)) --at;
    return small_letter(text[at - 1]) == small_letter(c) ? at - 1 : npos;
}

// The length of the quotation mark that ends at `at`, or 0.
std::size_t quote_before(std::string_view text, std::size_t at) {
    for (const std::size_t length : {1, 3})
        if (at >= length && quote_length(text, at - length) == length) return length;
    return 0;
}

}  // namespace

bool is_blank_in_log(char c) { return c == ' ' || c == '\t' || c == k_line_break; }

std::size_t before_blanks(std::string_view text, std::size_t at) {
    while (at > 0 && is_blank_in_log(text[at - 1])) --at;
    return at;
}

std::size_t quote_length(std::string_view text, std::size_t at) {
    const char c = text[at];
    if (c == '\'' || c == '"' || c == '`') return 1;
    if (text.size() - at < 3 || static_cast<unsigned char>(c) != 0xE2) return 0;
    const auto second = static_cast<unsigned char>(text[at + 1]),
               third = static_cast<unsigned char>(text[at + 2]);
    return second == 0x80 && third >= 0x98 && third <= 0x9F ? 3 : 0;  // ‘ ’ “ ” and their low forms
}

bool is_after_quote(std::string_view text, std::size_t at) { return quote_before(text, at) != 0; }

bool is_broken_word(std::string_view text, std::size_t at) {
    return text[at] == k_line_break && at > 0 && at + 1 < text.size() && !is_blank_in_log(text[at - 1]) &&
           !is_blank_in_log(text[at + 1]);
}

bool has_library_suffix(std::string_view path) {
    return path.find(".so") != npos || path.find(".dll") != npos || path.find(".DLL") != npos;
}

std::size_t literal_end(std::string_view literal, std::string_view text, std::size_t at, bool part) {
    for (std::size_t i = 0; i < literal.size(); ++i) {
        const char c = literal[i];
        if (at >= text.size()) return npos;
        if (text[at] == c && c != ' ') {
            ++at;  // most
        } else if (c == ' ') {
            if (!is_blank_in_log(text[at]) && !is_before_colon(literal, i)) return npos;
            at = behind_blanks(text, at);
        } else if (c == '\'' || c == '`') {
            const std::size_t length = quote_length(text, at);
            if (length == 0 && literal.size() < 3 && !part) return npos;
            at += length;
        } else if ((at = letter_end(c, text, at)) == npos) {
            return npos;
        }
    }
    return at;
}

std::size_t literal_begin(std::string_view literal, std::string_view text, std::size_t at) {
    for (std::size_t i = literal.size(); i-- > 0;) {
        const char c = literal[i];
        if (at > 0 && text[at - 1] == c && c != ' ') {
            --at;  // most
        } else if (c == '\'' || c == '`') {
            at -= quote_before(text, at);
        } else if (at == 0) {
            return npos;
        } else if (c == ' ') {
            if (!is_blank_in_log(text[at - 1]) && !is_before_colon(literal, i)) return npos;
            at = before_blanks(text, at);
        } else if ((at = letter_begin(c, text, at)) == npos) {
            return npos;
        }
    }
    return at;
}

}  // namespace ptxguard
