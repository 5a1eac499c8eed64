// The text of a message with its variable places: "Unsupported .version {made:version}; current version is
// '{read:version}'".
//
//   *              anything up to the text that follows, at most one line further
//   {name}         the same within its line, captured
//   {name:type}    captured; types: version, number, arch, word (to a blank, quote, comma or bracket), name
//                  (letters, digits, _ and -), file (a file's name without folders), path (no blanks),
//                  library (the path of a library with a name like those of NVIDIA)
//   {name:a|b|}    one of the texts, the first that fits; the last may be empty; captured if it has a name
//   {{ and **      the characters themselves
//   ^ at the start the message begins its line (after the prefixes that log_text.hpp removes)
//
// Case does not matter, a blank is any number of blanks or one line break, a word may be broken by one, and '
// is any quotation mark or none: tools wrap, translate and decorate their messages, and pages that render
// them lose their backquotes.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "messages/words_nearby.hpp"

namespace ptxguard {

using Captures = std::vector<std::pair<std::string, std::string>>;

struct PatternMatch {
    std::size_t begin = 0, end = 0;  // in the text
    Captures captured;
};

inline char small_letter(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c + ('a' - 'A')) : c; }
// In UTF-8: a byte of another letter is one.
bool is_letter_or_digit(char c);

// What a message has beside its anchor: up to eight characters, the nearest one first in `bytes` after it
// and last before it. A bit of `mask` says that it counts.
struct Beside {
    std::uint64_t bytes = 0, mask = 0, nearest = 0;  // nearest: the mask of the one beside the anchor
};

// Whether no blank among the eight characters and those beside them is longer than one, and no line is
// broken.
bool is_plain(const char* eight);

// The eight characters on one side of an anchor in a text. Only where each character of a message is one of
// the text (is_plain) all of them can be compared.
class BytesBeside {
public:
    BytesBeside() = default;  // the text ends before
    BytesBeside(const char* eight, bool at_break);

    // Only letters need both spellings; the other characters with the same bits are let through.
    bool fits(const Beside& wanted) {
        const std::uint64_t differ = (m_bytes ^ wanted.bytes) & wanted.mask;
        if (differ == 0 || !m_eight) return true;
        if ((differ & wanted.nearest) != 0 && !m_at_break) return false;
        if (m_plain == Plain::unknown) m_plain = is_plain(m_eight) ? Plain::yes : Plain::no;
        return m_plain == Plain::no;
    }

private:
    const char* m_eight = nullptr;
    std::uint64_t m_bytes = 0;  // folded
    bool m_at_break = false;
    enum class Plain : std::uint8_t { unknown, yes, no } m_plain = Plain::unknown;
};

struct Surroundings {
    Surroundings() = default;
    Surroundings(std::string_view text, std::size_t at);
    BytesBeside before, after;
};

class Pattern {
public:
    explicit Pattern(std::string_view text);

    // Eight characters of the message, in lower case where `folded` makes them so: a search finds them first.
    std::uint64_t anchor() const { return m_anchor; }
    bool has_anchor() const { return m_has_anchor; }
    std::vector<std::string> names() const;  // of the captures

    // What a match has near the anchor.
    std::vector<Need> needs() const;

    // Whether the characters beside the anchor allow a match; nearly all texts with the same eight characters
    // end here.
    bool may_match(Surroundings& around) const {
        return around.after.fits(m_after_anchor) && around.before.fits(m_before_anchor);
    }

    // The match that contains the anchor at `at`.
    std::optional<PatternMatch> match(std::string_view text, std::size_t at) const;

private:
    enum class Kind { literal, gap, version, number, arch, word, name, file, path, library, choice, rest };
    struct Element {
        Kind kind = Kind::literal;
        std::string text = {};                  // of a literal; name of a capture
        std::vector<std::string> choices = {};  // of Kind::choice
        std::string last_letters = {};          // of the literal or of each choice, small; 0 = anything
        std::vector<std::uint64_t> ends = {};   // a bit per hash of the last two letters of many choices
    };

    static constexpr std::size_t k_anchor = 8;
    static constexpr std::size_t k_gap = 400;  // characters that a gap or a capture may skip
    static Element capture(std::string_view inner);
    void choose_anchor();
    std::size_t gap_end(std::size_t e, std::string_view text, std::size_t at) const;
    std::optional<PatternMatch> match_from(std::string_view text, std::size_t begin) const;
    void find_begins(std::string_view text, std::size_t elements, std::size_t at, std::size_t stop,
                     std::vector<std::size_t>& begins) const;
    template <class GoOn>
    static void each_begin(const Element& element, std::string_view text, std::size_t at, std::size_t stop,
                           const GoOn& go_on);
    static std::size_t longest_of(const Element& element);
    static bool may_begin_value(const Element& first, std::string_view text, std::size_t at);
    static std::size_t capture_end(const Element& element, std::string_view text, std::size_t at);
    std::size_t longest_before_anchor() const;
    bool begins_word(std::size_t element) const;
    Need need_of(std::size_t element) const;
    bool is_costly() const;

    std::vector<Element> m_elements;
    bool m_at_line_start = false, m_has_anchor = false;
    std::uint64_t m_anchor = 0;
    Beside m_before_anchor, m_after_anchor;
    std::size_t m_anchor_element = 0, m_anchor_offset = 0;
    std::size_t m_most_before = 0;  // how far before its anchor the message may begin
};

// Eight bytes with bit 5 set: letters become small, a line break becomes a blank.
std::uint64_t folded(const char* eight);

// The separator of lines in the text of a log (log_text.hpp).
inline constexpr char k_line_break = '\0';

}  // namespace ptxguard
