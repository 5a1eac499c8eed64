// Which eight characters of a pattern a search finds first: rare ones.
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cstring>
#include <iterator>
#include <vector>

#include "messages/literal.hpp"
#include "messages/pattern.hpp"
#include "model/text.hpp"

namespace ptxguard {
namespace {

constexpr std::size_t k_part = 8;      // characters of an anchor
constexpr int k_common = 40;           // points that an anchor of a common word loses
constexpr int k_broken = 16;           // points that an anchor loses in which a line may end
constexpr int k_unsure = 60;           // points that an anchor loses which is not always there
constexpr int k_at_begin = 6;          // points: the begin of such a message need not be searched
constexpr std::size_t k_before = 500;  // how far before its anchor a message may begin

// Words of nearly every line of a build: an anchor with one is found too often.
constexpr std::string_view k_common_words[] = {"nvcc",     "cuda",    "bin/",   "lib/",    "torch", "python",
                                               "include",  "arch",    "config", "package", "0000",  "x86",
                                               "previous", "stalled", "found",  "availab", "could"};

// The words by their first letter.
struct CommonWords {
    constexpr CommonWords() : first(), next() {
        for (std::size_t i = std::size(k_common_words); i-- > 0;) {
            auto& of_letter = first[static_cast<unsigned char>(k_common_words[i][0])];
            next[i] = of_letter;
            of_letter = static_cast<unsigned char>(i + 1);
        }
    }
    unsigned char first[256], next[std::size(k_common_words)];  // 0 = none, else the place + 1
};

// Where a part of eight characters begins that has such a word in it.
void mark_common(const std::string& small, std::vector<char>& common) {
    static constexpr CommonWords k_words;
    for (std::size_t at = 0; at < small.size(); ++at)
        for (std::size_t i = k_words.first[static_cast<unsigned char>(small[at])]; i != 0;
             i = k_words.next[i - 1]) {
            const std::string_view word = k_common_words[i - 1];
            if (small.compare(at, word.size(), word) != 0) continue;
            const std::size_t last = at + word.size();
            for (std::size_t first = last > k_part ? last - k_part : 0; first <= at; ++first)
                common[first] = 1;
        }
}

// Whether the text may have something else here than this character or its other spelling.
bool may_differ(std::string_view literal, std::size_t at) {
    if (std::strchr("'`", literal[at])) return true;
    return literal[at] == ' ' && at + 1 < literal.size() &&
           literal[at + 1] == ':';  // the blank may be missing
}

// The characters of `literal` from `first` on, in steps of one (after an anchor) or minus one (before it), up
// to one that may differ. A blank beside the anchor may be a line break or longer: it is no `nearest`.
Beside beside_anchor(std::string_view literal, std::size_t first, int step) {
    char bytes[k_part] = {}, mask[k_part] = {};
    Beside beside;
    for (std::size_t i = 0; i < k_part; ++i) {
        const std::size_t at = first + static_cast<std::size_t>(step) * i;
        if (at >= literal.size() || may_differ(literal, at)) break;
        const std::size_t place = step > 0 ? i : k_part - 1 - i;
        bytes[place] = static_cast<char>(literal[at] | 0x20);
        mask[place] = static_cast<char>(0xFF);
        const char inside = literal[at - static_cast<std::size_t>(step)];
        if (i == 0 && literal[at] != ' ' && inside != ' ') std::memcpy(&beside.nearest, mask, sizeof mask);
    }
    std::memcpy(&beside.bytes, bytes, sizeof bytes);
    std::memcpy(&beside.mask, mask, sizeof mask);
    return beside;
}

struct Rarities {
    constexpr Rarities() : points() {
        for (signed char& one : points) one = 4;
        for (int large = 'A'; large <= 'Z'; ++large) points[large] = 3;
        for (const char some : std::string_view("_dcupmhg.,:")) points[static_cast<int>(some)] = 2;
        for (const char common : std::string_view(" etaoinrslETAOINRSL"))
            points[static_cast<int>(common)] = 1;
    }
    signed char points[256];
};

// Bits of the bytes that are `c`; above one of them others may be set too.
std::uint64_t bytes_that_are(std::uint64_t bytes, unsigned char c) {
    constexpr std::uint64_t k_each = 0x0101010101010101u;
    const std::uint64_t other = bytes ^ (k_each * c);
    return (other - k_each) & ~other & (k_each << 7u);
}

// Whether no blank among the eight is longer than one, and no line is broken.
bool is_plain_part(const char* eight) {
    std::uint64_t bytes = 0;
    std::memcpy(&bytes, eight, sizeof bytes);
    const std::uint64_t blanks = bytes_that_are(bytes, ' ');
    return (bytes_that_are(bytes, k_line_break) | bytes_that_are(bytes, '\t') | (blanks & blanks << 8u)) == 0;
}

}  // namespace

int rarity(char c) {
    static constexpr Rarities k_rarities;
    return k_rarities.points[static_cast<unsigned char>(c)];
}

bool is_plain(const char* eight) { return is_plain_part(eight - 1) && is_plain_part(eight + 1); }

BytesBeside::BytesBeside(const char* eight, bool at_break)
    : m_eight(eight), m_bytes(folded(eight)), m_at_break(at_break) {}

Surroundings::Surroundings(std::string_view text, std::size_t at) {
    if (at > k_part) before = BytesBeside(text.data() + at - k_part, text[at - 1] == k_line_break);
    if (const std::size_t end = at + k_part; end + k_part < text.size())
        after = BytesBeside(text.data() + end, text[end] == k_line_break);
}

namespace {

// Where the best anchor of `literal` begins; npos: none has more than `best` points. `points`: of them all.
std::size_t best_part(const std::string& literal, int points, int& best) {
    std::vector<char> common(literal.size());
    mark_common(lower(literal), common);
    std::size_t found = npos;
    std::size_t first = 0;      // where a part may begin: after the last quotation mark
    std::size_t colon = npos;   // the last " :", whose blank may be missing
    std::size_t broken = npos;  // the blank of the last ": ", where tools begin a line or a list
    for (std::size_t end = 0; end < literal.size(); ++end) {
        points += rarity(literal[end]);
        if (end >= k_part) points -= rarity(literal[end - k_part]);
        if (literal[end] == '\'' || literal[end] == '`') first = end + 1;
        if (literal.compare(end, 2, " :") == 0) colon = end;
        if (end > 0 && literal.compare(end - 1, 2, ": ") == 0) broken = end;
        if (end + 1 < first + k_part) continue;
        const std::size_t i = end + 1 - k_part;
        const bool has_break = broken > i && broken < end;
        const bool unsure = colon != npos && colon + 1 >= i;
        const int all =
            points - (unsure ? k_unsure : 0) - (has_break ? k_broken : 0) - (common[i] ? k_common : 0);
        if (all <= best) continue;
        best = all;
        found = i;
    }
    return found;
}

}  // namespace

void Pattern::choose_anchor() {
    static_assert(k_part == k_anchor);
    int best = -100;
    for (std::size_t e = 0; e < m_elements.size(); ++e) {
        const std::string& literal = m_elements[e].text;
        if (m_elements[e].kind != Kind::literal || literal.size() < k_anchor) continue;
        const std::size_t part = best_part(literal, e == 0 ? k_at_begin : 0, best);
        if (part == npos) continue;
        m_anchor_element = e;
        m_anchor_offset = part;
    }
    m_has_anchor = best > -100;
    if (!m_has_anchor) return;
    m_most_before = longest_before_anchor();
    const std::string_view literal = m_elements[m_anchor_element].text;
    m_anchor = folded(literal.data() + m_anchor_offset);
    m_before_anchor = beside_anchor(literal, m_anchor_offset - 1, -1);
    m_after_anchor = beside_anchor(literal, m_anchor_offset + k_anchor, 1);
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
