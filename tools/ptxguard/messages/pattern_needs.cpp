// What a match of a pattern has near the anchor, beside what it has next to it.
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "messages/literal.hpp"
#include "messages/pattern.hpp"
#include "messages/words_nearby.hpp"
#include "model/text.hpp"

namespace ptxguard {
namespace {

constexpr std::size_t k_more_blanks = 64;    // that a message may have more than its pattern
constexpr std::size_t k_short_value = 32;    // characters of a version, a number or an architecture
constexpr std::size_t k_known_after = 1024;  // how far after the anchor needs are known

}  // namespace

// Whether no letter is before the element.
bool Pattern::begins_word(std::size_t element) const {
    if (element == 0) return true;  // may_begin_value
    const Element& before = m_elements[element - 1];
    const auto ends = [](const std::string& text) { return !is_letter_or_digit(text.back()); };
    if (before.kind == Kind::literal) return ends(before.text);
    if (before.kind != Kind::choice) return false;
    return std::all_of(before.choices.begin(), before.choices.end(), [&](const std::string& one) {
        return one.empty() ? begins_word(element - 1) : ends(one);
    });
}

// No parts = nothing is known.
Need Pattern::need_of(std::size_t element) const {
    const Element& one = m_elements[element];
    Need need;
    need.library = one.kind == Kind::library && begins_word(element);
    if (one.kind == Kind::choice)
        for (const std::string& choice : one.choices)
            need.parts.push_back(part_of_word(choice, begins_word(element)));
    if (one.kind == Kind::literal) need.parts.push_back(part_of_word(one.text, false));
    const bool is_unknown = std::find(need.parts.begin(), need.parts.end(), "") != need.parts.end();
    return is_unknown ? Need{} : need;
}

// Whether it takes long to find out that there is no match: a begin is searched, or many texts are compared.
bool Pattern::is_costly() const {
    constexpr std::size_t k_costly = 8;
    for (std::size_t e = 0; e < m_elements.size(); ++e) {
        const Kind kind = m_elements[e].kind;
        if (kind == Kind::library || m_elements[e].choices.size() >= k_costly) return true;
        const bool is_value =
            kind != Kind::literal && kind != Kind::version && kind != Kind::number && kind != Kind::arch;
        if (e < m_anchor_element && is_value) return true;
    }
    return false;
}

// How many characters it may have in a text; npos: any number.
std::size_t Pattern::longest_of(const Element& element) {
    std::size_t longest = element.kind == Kind::literal ? element.text.size() : 0;
    switch (element.kind) {
        case Kind::choice:
            for (const std::string& one : element.choices) longest = std::max(longest, one.size());
            [[fallthrough]];
        case Kind::literal: return 2 * longest;
        case Kind::gap:
        case Kind::rest: return k_gap;
        case Kind::version:
        case Kind::number:
        case Kind::arch: return k_short_value;
        default: return npos;
    }
}

std::vector<Need> Pattern::needs() const {
    std::vector<Need> all;
    if (!is_costly()) return all;
    const auto add_need = [&](Need need, bool before, std::size_t reach) {
        need.before = before;
        need.reach = reach;
        if (need.library || !need.parts.empty()) all.push_back(std::move(need));
    };
    const auto add = [&](std::size_t element, bool before, std::size_t reach) {
        add_need(need_of(element), before, reach);
    };
    const std::string_view around = m_elements[m_anchor_element].text;
    const std::string own = part_of_word(around.substr(0, m_anchor_offset), false);
    if (!own.empty()) add_need({{own}}, true, 2 * m_anchor_offset + k_more_blanks);
    for (std::size_t e = 0; e < m_anchor_element; ++e) add(e, true, m_most_before);
    std::size_t reach = around.size() - m_anchor_offset + k_more_blanks;
    for (std::size_t e = m_anchor_element + 1; e < m_elements.size() && reach < k_known_after; ++e) {
        const Kind kind = m_elements[e].kind;
        const std::size_t longest = kind == Kind::library ? k_gap : longest_of(m_elements[e]);
        if (longest == npos) return all;
        reach += longest;
        const bool is_text = kind == Kind::literal || kind == Kind::choice || kind == Kind::library;
        if (is_text && reach < k_known_after) add(e, false, reach);
        if (kind == Kind::library) return all;
    }
    return all;
}

}  // namespace ptxguard
