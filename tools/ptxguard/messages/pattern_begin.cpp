// Where a message begins, found backwards from its anchor.
// SPDX-License-Identifier: Apache-2.0
#include "messages/literal.hpp"
#include "messages/pattern.hpp"
#include "model/text.hpp"

namespace ptxguard {

// Adds to `begins` where the first `elements` elements may begin if they end at `at`; a match from there
// decides (match_from).
void Pattern::find_begins(std::string_view text, std::size_t elements, std::size_t at, std::size_t stop,
                          std::vector<std::size_t>& begins) const {
    if (elements == 0) {
        begins.push_back(at);
        return;
    }
    const Element& element = m_elements[elements - 1];
    const bool is_first = elements == 1 && element.kind != Kind::literal;
    const auto go_on = [&](std::size_t begin) {
        if (is_first && !may_begin_value(element, text, begin)) return;
        find_begins(text, elements - 1, begin, stop, begins);
    };
    const char last = at > 0 ? small_letter(text[at - 1]) : k_line_break;
    const auto go_on_before = [&](const std::string& literal, char wanted) {
        if (wanted == ' ' ? !is_blank_in_log(last) : wanted != 0 && wanted != last && last != k_line_break)
            return;
        const std::size_t begin = literal_begin(literal, text, at);
        if (begin != npos && begin >= stop) go_on(begin);
    };
    switch (element.kind) {
        case Kind::literal:
            go_on_before(element.text, element.last_letters[0]);
            return;
        case Kind::choice:
            for (std::size_t i = 0; i < element.choices.size(); ++i)
                go_on_before(element.choices[i], element.last_letters[i]);
            return;
        case Kind::gap:
        case Kind::rest: {
            int breaks = 0;
            for (std::size_t begin = at;; --begin) {
                // Neither begins among blanks: what is before takes all of them.
                const bool among_blanks = begin > 0 && begin < at && is_blank_in_log(text[begin - 1]) &&
                                          is_blank_in_log(text[begin]);
                if (!among_blanks) go_on(begin);
                if (begin <= stop || at - begin >= k_gap) return;
                if (text[begin - 1] == k_line_break && (element.kind == Kind::rest || ++breaks > 1)) return;
            }
        }
        default:  // a value, which has no blanks
            for (std::size_t begin = at; begin > stop && !is_blank_in_log(text[begin - 1]);) go_on(--begin);
    }
}

bool Pattern::may_begin_value(const Element& first, std::string_view text, std::size_t at) {
    if (first.kind == Kind::choice) return at == 0 || !is_letter_or_digit(text[at - 1]);
    if (at == 0 || text[at - 1] == k_line_break) return true;
    if (first.kind == Kind::rest) return false;  // its whole line
    switch (text[at - 1]) {
        case ' ':
        case '\t':
        case '(':
        case '[':
        case '{':
        case '<':
        case ',':
        case ';':
        case '=':
            return true;
        case '/':
        case '\\':
        case ':':
            return first.kind == Kind::file;
        default:
            return is_after_quote(text, at);
    }
}

}  // namespace ptxguard
