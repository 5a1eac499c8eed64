// SPDX-License-Identifier: Apache-2.0
#include "messages/pattern.hpp"

#include <algorithm>
#include <cstring>
#include <functional>

#include "messages/literal.hpp"
#include "model/text.hpp"

namespace ptxguard {
namespace {

constexpr int k_breaks_before = 4;  // line breaks before the literal with the anchor: CMake has empty lines

std::size_t skip(std::string_view text, std::size_t at, const char* others) {
    while (at < text.size() && (is_letter_or_digit(text[at]) || (text[at] && std::strchr(others, text[at]))))
        ++at;
    return at;
}

// Where a blank, a quotation mark or one of `others` is.
std::size_t value_end(std::string_view text, std::size_t at, const char* others) {
    for (; at < text.size(); ++at) {
        const char c = text[at], small = small_letter(c);
        if ((small >= 'a' && small <= 'z') || (c >= '-' && c <= '9') || c == '_') continue;  // most
        if (is_blank_in_log(c) || std::strchr(others, c) || quote_length(text, at) != 0) break;
    }
    return at;
}

// "12.8", "2.6.0+cu124", "v9.1"; a full stop after it ends a sentence.
std::size_t version_end(std::string_view text, std::size_t at) {
    const bool has_v = at + 1 < text.size() && small_letter(text[at]) == 'v';
    if (at + has_v >= text.size() || !is_digit(text[at + has_v])) return npos;
    std::size_t end = skip(text, at, ".+_-");
    while (end > at && std::strchr(".-_+", text[end - 1])) --end;
    return end;
}

std::size_t number_end(std::string_view text, std::size_t at) {
    std::size_t end = at + (at < text.size() && text[at] == '-');
    while (end < text.size() && is_digit(text[end])) ++end;
    return end > at && is_digit(text[end - 1]) ? end : npos;
}

std::size_t arch_end(std::string_view text, std::size_t at) {
    for (const char* start : {"sm_", "compute_", "sm", "lto_"})
        if (const std::size_t end = literal_end(start, text, at); end != npos) {
            at = end;
            break;
        }
    std::size_t end = at;
    while (end < text.size() &&
           (is_digit(text[end]) || (text[end] == '.' && end + 1 < text.size() && is_digit(text[end + 1]))))
        ++end;
    if (end == at) return npos;
    return end < text.size() && (small_letter(text[end]) == 'a' || small_letter(text[end]) == 'f') ? end + 1
                                                                                                   : end;
}

// "/opt/libcudart.so.12", "cublas64_12.dll"
bool is_library(std::string_view path) {
    std::string_view name = path.substr(path.find_last_of("/\\") + 1);
    const auto begins = [&](std::string_view start) {
        return name.size() > start.size() &&
               std::equal(start.begin(), start.end(), name.begin(),
                          [](char one, char other) { return one == small_letter(other); });
    };
    if (begins("lib")) name.remove_prefix(3);
    if (!begins("cu") && !begins("nv") && !begins("nccl") && !begins("npp")) return false;
    return has_library_suffix(name);
}

// "a|b|" as its parts.
std::vector<std::string> choices_of(std::string_view type) {
    std::vector<std::string> choices;
    if (type.find('|') == npos) return choices;
    for (std::size_t from = 0; from <= type.size();) {
        const std::size_t bar = std::min(type.find('|', from), type.size());
        choices.emplace_back(type.substr(from, bar - from));
        from = bar + 1;
    }
    return choices;
}

// What must be last in the text of a literal; 0 = a quotation mark may be missing.
char last_letter(const std::string& literal) {
    return literal.empty() || std::strchr("'`", literal.back()) ? '\0' : small_letter(literal.back());
}

// A set of pairs of letters, as the bits of their hashes: what many choices end with. Empty = anything.
constexpr std::size_t k_many = 16;

std::vector<std::uint64_t> ends_of(const std::vector<std::string>& choices) {
    std::vector<std::uint64_t> ends(choices.size() < k_many ? 0 : k_pair_bits / 64);
    for (const std::string& one : choices) {
        if (ends.empty() || one.size() < 2 || std::strchr("'` ", one.back())) return {};
        const std::size_t bit = pair_bit(one[one.size() - 2], one.back());
        ends[bit / 64] |= std::uint64_t{1} << bit % 64;
    }
    return ends;
}

// Whether only the closing quotation mark of the value that begins at `value` is missing: its line is cut.
bool is_unclosed(std::string_view literal, std::string_view text, std::size_t value, std::size_t at) {
    const bool at_break = at >= text.size() || text[at] == k_line_break;
    return at_break && (literal == "'" || literal == "`") && value > 0 && is_after_quote(text, value);
}

}  // namespace

std::uint64_t folded(const char* eight) {
    std::uint64_t bytes = 0;
    std::memcpy(&bytes, eight, sizeof bytes);
    return bytes | 0x2020202020202020u;
}

bool is_letter_or_digit(char c) {
    return is_digit(c) || (small_letter(c) >= 'a' && small_letter(c) <= 'z') ||
           static_cast<unsigned char>(c) >= 0x80;
}

// "name:type"
Pattern::Element Pattern::capture(std::string_view inner) {
    static constexpr std::pair<std::string_view, Kind> k_types[] = {
        {"version", Kind::version}, {"number", Kind::number},  {"arch", Kind::arch},
        {"word", Kind::word},       {"name", Kind::name},      {"file", Kind::file},
        {"path", Kind::path},       {"library", Kind::library}};
    const std::size_t colon = inner.find(':');
    const std::string_view type = colon == npos ? "" : inner.substr(colon + 1);
    Element element{Kind::rest, std::string(inner.substr(0, colon)), choices_of(type)};
    for (const auto& [name, kind] : k_types)
        if (type == name) element.kind = kind;
    if (type.find('|') != npos) element.kind = Kind::choice;
    for (const std::string& one : element.choices) element.last_letters += last_letter(one);
    element.ends = ends_of(element.choices);
    return element;
}

Pattern::Pattern(std::string_view text) {
    if (!text.empty() && text.front() == '^') {
        m_at_line_start = true;
        text.remove_prefix(1);
    }
    const auto add = [&](char c) {
        if (m_elements.empty() || m_elements.back().kind != Kind::literal) m_elements.emplace_back();
        m_elements.back().text += c;
    };
    for (std::size_t i = 0; i < text.size(); ++i) {
        const bool doubled = i + 1 < text.size() && text[i + 1] == text[i];
        if ((text[i] == '{' || text[i] == '*') && doubled) {
            add(text[i++]);
        } else if (text[i] == '*') {
            m_elements.push_back({Kind::gap});
        } else if (text[i] == '{') {
            const std::size_t close = std::min(text.find('}', i), text.size());
            m_elements.push_back(capture(text.substr(i + 1, close - i - 1)));
            i = close;
        } else {
            add(text[i]);
        }
    }
    for (Element& element : m_elements)
        if (element.kind == Kind::literal) element.last_letters = last_letter(element.text);
    choose_anchor();
}

std::vector<std::string> Pattern::names() const {
    std::vector<std::string> names;
    for (const Element& element : m_elements)
        if (element.kind != Kind::literal && element.kind != Kind::gap && !element.text.empty())
            names.push_back(element.text);
    return names;
}

namespace {

std::size_t end_of_choice(const std::vector<std::string>& choices, std::string_view text, std::size_t at) {
    const char first = at < text.size() ? small_letter(text[at]) : '\0';
    for (const std::string& one : choices) {
        // Most begin with another letter.
        const bool differs = !one.empty() && is_letter_or_digit(one[0]) && small_letter(one[0]) != first;
        if (differs && first != k_line_break) continue;
        if (const std::size_t end = literal_end(one, text, at, true); end != npos) return end;
    }
    return npos;
}

bool begins_line(std::string_view text, std::size_t begin) {
    while (begin > 0 && (text[begin - 1] == ' ' || text[begin - 1] == '\t')) --begin;
    return begin == 0 || text[begin - 1] == k_line_break;
}

// A value ends before the marks of the sentence that it is in; npos: nothing is left.
std::size_t without_last(std::string_view text, std::size_t at, std::size_t end, const char* marks) {
    while (end > at && std::strchr(marks, text[end - 1])) --end;
    return end > at ? end : npos;
}

}  // namespace

std::size_t Pattern::capture_end(const Element& element, std::string_view text, std::size_t at) {
    switch (element.kind) {
        case Kind::choice: return end_of_choice(element.choices, text, at);
        case Kind::version: return version_end(text, at);
        case Kind::number: return number_end(text, at);
        case Kind::arch: return arch_end(text, at);
        case Kind::word: return without_last(text, at, value_end(text, at, ",;()[]{}<>"), ".:");
        case Kind::name: return without_last(text, at, skip(text, at, "_-"), "");
        case Kind::file: return without_last(text, at, skip(text, at, "._+-"), ".");
        default: {  // path, library
            const std::size_t end = without_last(text, at, value_end(text, at, ";()[]<>"), ".,:");
            if (end == npos || element.kind != Kind::library) return end;
            return is_library(text.substr(at, end - at)) ? end : npos;
        }
    }
}

// Up to the element after the gap `e`; the first place that fits is taken. npos: there is none.
std::size_t Pattern::gap_end(std::size_t e, std::string_view text, std::size_t at) const {
    const std::size_t last = std::min(text.size(), at + k_gap);
    const Element* next = e + 1 < m_elements.size() ? &m_elements[e + 1] : nullptr;
    const int most_breaks = m_elements[e].kind == Kind::rest ? 0 : 1;
    for (int breaks = 0;; ++at) {
        const bool at_break = at >= text.size() || text[at] == k_line_break;
        if (next && at < text.size()) {
            const std::size_t fits = next->kind == Kind::literal ? literal_end(next->text, text, at)
                                                                 : capture_end(*next, text, at);
            if (fits != npos) return at;
        }
        if (!next && at_break) return at;
        if (at >= last || (at_break && ++breaks > most_breaks)) return npos;
    }
}

std::optional<PatternMatch> Pattern::match_from(std::string_view text, std::size_t begin) const {
    PatternMatch found;
    found.begin = begin;
    std::size_t at = begin, value = 0;
    for (std::size_t e = 0; e < m_elements.size(); ++e) {
        const Element& element = m_elements[e];
        if (element.kind == Kind::literal) {
            const bool is_last = e + 1 == m_elements.size();
            if (is_last && is_unclosed(element.text, text, value, at)) break;
            at = literal_end(element.text, text, at);
            if (at == npos) return std::nullopt;
            continue;
        }
        value = at;
        const bool is_rest = element.kind == Kind::rest, is_gap = is_rest || element.kind == Kind::gap;
        const std::size_t end = is_gap ? gap_end(e, text, at) : capture_end(element, text, at);
        if (end == npos) return std::nullopt;
        const std::string_view captured = text.substr(at, end - at);
        if (is_rest || !element.text.empty())
            found.captured.emplace_back(element.text, is_rest ? trimmed(captured) : captured);
        at = end;
    }
    found.end = at;
    return found;
}

std::optional<PatternMatch> Pattern::match(std::string_view text, std::size_t at) const {
    const auto fits = [&](std::size_t begin) -> std::optional<PatternMatch> {
        if (m_at_line_start && !begins_line(text, begin)) return std::nullopt;
        auto found = match_from(text, begin);
        return found && found->end >= at + k_anchor ? found : std::nullopt;
    };
    // A blank at the begin of the anchor may be longer in the text.
    const std::string_view around = m_elements[m_anchor_element].text;
    const std::size_t begin_of_anchor = around[m_anchor_offset] == ' ' ? before_blanks(text, at) : at;
    if (literal_end(around.substr(m_anchor_offset), text, at) == npos) return std::nullopt;
    const std::size_t literal = literal_begin(around.substr(0, m_anchor_offset), text, begin_of_anchor);
    if (literal == npos) return std::nullopt;
    if (m_anchor_element == 0) return fits(literal);
    const std::size_t stop = at > m_most_before ? at - m_most_before : 0;
    std::vector<std::size_t> begins;
    find_begins(text, m_anchor_element, literal, stop, begins);
    std::sort(begins.begin(), begins.end(), std::greater<>());
    begins.erase(std::unique(begins.begin(), begins.end()), begins.end());
    for (const std::size_t begin : begins) {
        const auto breaks = std::count(text.begin() + static_cast<std::ptrdiff_t>(begin),
                                       text.begin() + static_cast<std::ptrdiff_t>(literal + 1), k_line_break);
        if (breaks > k_breaks_before) break;
        if (auto found = fits(begin)) return found;
    }
    return std::nullopt;
}

}  // namespace ptxguard
