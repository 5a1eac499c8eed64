// Where a message begins, found backwards from its anchor.
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "messages/literal.hpp"
#include "messages/pattern.hpp"
#include "model/text.hpp"

namespace ptxguard {
namespace {

// Whether what ends at `at` may end with one of many choices.
bool may_end(const std::vector<std::uint64_t>& ends, std::string_view text, std::size_t at) {
    if (ends.empty()) return true;
    if (at < 2) return false;
    const char one = text[at - 2], last = text[at - 1];
    if (one == k_line_break || last == k_line_break) return true;  // a broken word
    const std::size_t bit = pair_bit(one, last);
    return (ends[bit / 64] >> bit % 64 & 1) != 0;
}

bool is_of_name(char c) { return is_letter_or_digit(c) || c == '.' || c == '_' || c == '+' || c == '-'; }

// Whether the word that ends at `at` may have the name of a library in it.
bool may_be_library(std::string_view text, std::size_t at, std::size_t stop) {
    std::size_t begin = at;
    while (begin > stop && !is_blank_in_log(text[begin - 1])) --begin;
    return has_library_suffix(text.substr(begin, at - begin));
}

// What is before the blanks that end at `at`, if any do.
struct BeforeBlanks {
    BeforeBlanks(std::string_view text, std::size_t at) {
        const std::size_t end = before_blanks(text, at);
        are_there = end < at;
        letter = end > 0 ? small_letter(text[end - 1]) : k_line_break;
    }
    bool may_end_with(std::string_view choice) const {
        if (choice.size() < 2 || choice.back() != ' ') return true;
        const char wanted = small_letter(choice[choice.size() - 2]);
        return are_there && (wanted == letter || wanted == '\'' || wanted == '`');
    }
    bool are_there = false;
    char letter = 0;
};

// Whether a literal whose last letter is `wanted` may end with `last`; 0 = any.
bool may_be_last(char wanted, char last) {
    if (wanted == ' ') return is_blank_in_log(last);
    return wanted == 0 || wanted == last || last == k_line_break;
}

// Each place where a text that ends at `at` may begin: a gap with up to so many line breaks.
template <class GoOn>
void gap_begins(std::string_view text, std::size_t at, std::size_t stop, int most_breaks, const GoOn& go_on) {
    int breaks = 0;
    for (std::size_t begin = at;; --begin) {
        // It does not begin among blanks: what is before takes all of them.
        const bool among_blanks =
            begin > 0 && begin < at && is_blank_in_log(text[begin - 1]) && is_blank_in_log(text[begin]);
        if (!among_blanks) go_on(begin);
        if (begin <= stop) return;
        if (text[begin - 1] == k_line_break && ++breaks > most_breaks) return;
    }
}

// Each place where a value of such characters may begin.
template <class IsOfValue, class GoOn>
void value_begins(std::string_view text, std::size_t at, std::size_t stop, const IsOfValue& is_of_value,
                  const GoOn& go_on) {
    for (std::size_t begin = at; begin > stop && is_of_value(text[begin - 1]);) go_on(--begin);
}

// Where the text of a literal or of a choice may begin.
template <class GoOn>
void text_begin(const std::string& literal, char wanted, std::string_view text, std::size_t at,
                std::size_t stop, bool of_choice, const GoOn& go_on) {
    if (literal.empty()) return go_on(at);
    if (!may_be_last(wanted, at > 0 ? small_letter(text[at - 1]) : k_line_break)) return;
    const std::size_t begin = literal_begin(literal, text, at);
    // A quotation mark that is not there is the empty choice beside it.
    if (begin != npos && begin >= stop && !(of_choice && begin == at)) go_on(begin);
}

}  // namespace

template <class GoOn>
void Pattern::each_begin(const Element& element, std::string_view text, std::size_t at, std::size_t stop,
                         const GoOn& go_on) {
    const std::size_t gap_stop = std::max(stop, at > k_gap ? at - k_gap : 0);
    switch (element.kind) {
        case Kind::literal:
            return text_begin(element.text, element.last_letters[0], text, at, stop, false, go_on);
        case Kind::choice: {
            if (!may_end(element.ends, text, at)) return;
            const BeforeBlanks before(text, at);
            for (std::size_t i = 0; i < element.choices.size(); ++i)
                if (before.may_end_with(element.choices[i]))
                    text_begin(element.choices[i], element.last_letters[i], text, at, stop, true, go_on);
            return;
        }
        case Kind::gap: return gap_begins(text, at, gap_stop, 1, go_on);
        case Kind::rest: return gap_begins(text, at, gap_stop, 0, go_on);
        case Kind::library:
            if (!may_be_library(text, at, stop)) return;
            [[fallthrough]];
        case Kind::word:
        case Kind::path:  // values, which have no blanks
            return value_begins(
                text, at, stop, [](char c) { return !is_blank_in_log(c); }, go_on);
        default:  // a version, number, architecture or name
            return value_begins(text, at, stop, is_of_name, go_on);
    }
}

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
    each_begin(element, text, at, stop, [&](std::size_t begin) {
        if (is_first && !may_begin_value(element, text, begin)) return;
        find_begins(text, elements - 1, begin, stop, begins);
    });
}

bool Pattern::may_begin_value(const Element& first, std::string_view text, std::size_t at) {
    if (first.kind == Kind::choice) return at == 0 || !is_letter_or_digit(text[at - 1]);
    if (at == 0 || text[at - 1] == k_line_break) return true;
    if (first.kind == Kind::rest) return false;  // its whole line
    if (std::string_view(" \t([{<,;=").find(text[at - 1]) != npos) return true;
    if (std::string_view("/\\:").find(text[at - 1]) != npos) return first.kind == Kind::file;
    return is_after_quote(text, at);
}

}  // namespace ptxguard
