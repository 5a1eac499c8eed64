// Which eight characters of a pattern a search finds first: rare ones.
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>
#include <cstring>

#include "messages/pattern.hpp"
#include "model/text.hpp"

namespace ptxguard {
namespace {

constexpr int k_common = 12;           // points that an anchor of a common word loses
constexpr int k_unsure = 60;           // points that an anchor loses which is not always there
constexpr int k_at_begin = 6;          // points: the begin of such a message need not be searched
constexpr std::size_t k_before = 500;  // how far before its anchor a message may begin

// How rare a character is in logs: an anchor is made of rare ones.
int rarity(char c) {
    static const std::array<std::int8_t, 256> points = [] {
        std::array<std::int8_t, 256> all;
        all.fill(4);
        for (const char common : std::string_view(" etaoinrslETAOINRSL"))
            all[static_cast<unsigned char>(common)] = 1;
        for (const char some : std::string_view("_dcupmhg.,:")) all[static_cast<unsigned char>(some)] = 2;
        for (char large = 'A'; large <= 'Z'; ++large)
            if (all[static_cast<unsigned char>(large)] == 4) all[static_cast<unsigned char>(large)] = 3;
        return all;
    }();
    return points[static_cast<unsigned char>(c)];
}

// Where words of nearly every line of a build end, by where they begin: an anchor with one is found too
// often.
std::vector<std::size_t> ends_of_common_words(std::string_view literal) {
    std::vector<std::size_t> ends(literal.size(), npos);
    for (const std::string_view word : {"nvcc", "cuda", "bin/", "lib/", "torch", "python", "include", "arch",
                                        "config", "package", "0000", "x86", "previous", "stalled"})
        for (std::size_t at = 0; at + word.size() <= literal.size(); ++at)
            if (std::equal(word.begin(), word.end(), literal.begin() + static_cast<std::ptrdiff_t>(at),
                           [](char one, char other) { return one == small_letter(other); }))
                ends[at] = std::min(ends[at], at + word.size());
    return ends;
}

// What must be beside an anchor, as a small letter; 0 = a blank, a quotation mark or a value may be.
char fixed_beside(std::string_view literal, std::size_t at) {
    if (at >= literal.size() || std::strchr(" '`", literal[at])) return 0;
    return small_letter(literal[at]);
}

}  // namespace

void Pattern::choose_anchor() {
    int best = -100;
    for (std::size_t e = 0; e < m_elements.size(); ++e) {
        if (m_elements[e].kind != Kind::literal) continue;
        const std::string& literal = m_elements[e].text;
        const std::vector<std::size_t> common = ends_of_common_words(literal);
        for (std::size_t i = 0; i + k_anchor <= literal.size(); ++i) {
            const std::string_view part = std::string_view(literal).substr(i, k_anchor);
            if (part.find_first_of("'`") != npos) continue;
            int points = e == 0 ? k_at_begin : 0;
            // The blank before a colon may be missing.
            const std::size_t before = i > 0 ? i - 1 : 0;
            if (std::string_view(literal).substr(before, i - before + k_anchor + 1).find(" :") != npos)
                points -= k_unsure;
            for (const char c : part) points += rarity(c);
            const auto first = common.begin() + static_cast<std::ptrdiff_t>(i);
            if (std::any_of(first, first + k_anchor, [&](std::size_t end) { return end <= i + k_anchor; }))
                points -= k_common;
            if (points <= best) continue;
            best = points;
            m_anchor_element = e;
            m_anchor_offset = i;
        }
    }
    m_has_anchor = best > -100;
    if (!m_has_anchor) return;
    m_most_before = longest_before_anchor();
    const std::string_view literal = m_elements[m_anchor_element].text;
    m_anchor = folded(literal.data() + m_anchor_offset);
    if (literal[m_anchor_offset] != ' ' && m_anchor_offset > 0)
        m_before_anchor = fixed_beside(literal, m_anchor_offset - 1);
    if (literal[m_anchor_offset + k_anchor - 1] != ' ')
        m_after_anchor = fixed_beside(literal, m_anchor_offset + k_anchor);
}

// Without a gap or a value of any length, what is before the anchor has few characters.
std::size_t Pattern::longest_before_anchor() const {
    std::size_t most = m_anchor_offset;
    for (std::size_t e = 0; e < m_anchor_element; ++e) {
        const Element& element = m_elements[e];
        std::size_t longest = element.text.size();
        if (element.kind == Kind::choice)
            for (const std::string& one : element.choices) longest = std::max(longest, one.size());
        else if (element.kind != Kind::literal)
            return k_before;
        most += longest;
    }
    return std::min(k_before, 2 * most + 8);  // blanks and quotation marks may be longer
}

}  // namespace ptxguard
