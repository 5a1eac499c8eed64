// SPDX-License-Identifier: Apache-2.0
#include "model/visible.hpp"

#include <algorithm>
#include <cstdint>
#include <cstring>

#include "model/text.hpp"

namespace ptxguard {
namespace {

// C1 controls; all characters that change the direction of text (Unicode's Bidi_Control); line separators.
bool is_hidden(std::uint32_t code) {
    constexpr std::uint32_t k_ranges[][2] = {
        {0x80, 0x9f}, {0x61c, 0x61c}, {0x200e, 0x200f}, {0x2028, 0x202e}, {0x2066, 0x2069}};
    for (const auto& [first, last] : k_ranges)
        if (code >= first && code <= last) return true;
    return false;
}

bool is_printable(char c) { return c >= 0x20 && c < 0x7f; }

// "##[" of GitHub, "##vso[" of Azure, "##teamcity[".
bool is_hash_command(std::string_view text, std::size_t at) {
    if (text.substr(at, 2) != "##") return false;
    std::size_t end = at + 2;
    while (end < text.size() && is_letter(text[end])) ++end;
    return end < text.size() && text[end] == '[';
}

// Nearly all text: eight printable characters without '#'.
bool are_plain(const char* eight) {
    constexpr std::uint64_t k_ones = 0x0101010101010101, k_tops = 0x80 * k_ones;
    std::uint64_t word = 0;
    std::memcpy(&word, eight, sizeof word);
    const std::uint64_t low = (word - 0x20 * k_ones) & ~word, high = word | (word + k_ones);
    const std::uint64_t other = word ^ '#' * k_ones, hash = (other - k_ones) & ~other;
    return ((low | high | hash) & k_tops) == 0;
}

// Where the line that begins at `from` has a "::" behind blanks only, which GitHub obeys. It skips Unicode's
// blanks too, so here nothing outside of ASCII counts as text.
std::size_t colons_of_line(std::string_view text, std::size_t from) {
    while (from < text.size() && text[from] != '\n' && (text[from] == ' ' || !is_printable(text[from])))
        ++from;
    return text.substr(from, 2) == "::" ? from : npos;
}

// A colour code that our own reports contain: "\x1b[0m", "\x1b[1m", "\x1b[32m", "\x1b[1;31m".
std::size_t color_at(std::string_view text, std::size_t at) {
    for (const std::string_view code : {"\x1b[0m", "\x1b[1m", "\x1b[2m", "\x1b[3?m", "\x1b[1;3?m"}) {
        if (text.size() - at < code.size()) continue;
        bool same = true;
        for (std::size_t i = 0; i < code.size() && same; ++i) {
            const char c = text[at + i];
            same = code[i] == '?' ? c >= '0' && c <= '7' : c == code[i];
        }
        if (same) return code.size();
    }
    return 0;
}

struct Kept {
    bool lines = false, colors = false, source = false;
};

// The bytes at an unsafe place that the form of the output needs.
std::size_t kept_at(std::string_view text, std::size_t at, const Kept& kept) {
    if (text[at] == '\n') return kept.lines;
    if (text[at] == '\t') return kept.source;
    if (text[at] == '\r') return kept.source && text.substr(at, 2) == "\r\n";
    return text[at] == '\x1b' && kept.colors ? color_at(text, at) : 0;
}

std::string hexadecimal(std::uint32_t number, int digits) {
    std::string text;
    for (int shift = 4 * (digits - 1); shift >= 0; shift -= 4)
        text += "0123456789abcdef"[number >> shift & 15];
    return text;
}

std::string escape(char byte, const Letter& letter) {
    if (letter.bytes > 1) return "\\u" + hexadecimal(letter.code, 4);
    if (byte == '\n') return "\\n";
    if (byte == '\r') return "\\r";
    if (byte == '\t') return "\\t";
    return "\\x" + hexadecimal(static_cast<unsigned char>(byte), 2);
}

std::string made_visible(std::string_view text, const Kept& kept) {
    std::string result;
    result.reserve(text.size());
    std::size_t colons = colons_of_line(text, 0);
    for (std::size_t at = 0; at < text.size();) {
        const Unsafe next = next_unsafe(text, at);
        const std::size_t stop = std::min(next.at, colons);
        result += text.substr(at, stop - at);
        at = stop;
        if (at == colons) {
            result += escape(text[at++], {});
            colons = npos;
        } else if (at < text.size()) {
            const std::size_t keep = kept_at(text, at, kept);
            if (keep && text[at] == '\n') colons = colons_of_line(text, at + 1);
            result += keep ? std::string(text.substr(at, keep)) : escape(text[at], next.letter);
            at += keep ? keep : std::max<std::size_t>(next.letter.bytes, 1);
        }
    }
    return result;
}

}  // namespace

Unsafe next_unsafe(std::string_view text, std::size_t from) {
    for (std::size_t at = from; at < text.size();) {
        if (text.size() - at >= 8 && are_plain(text.data() + at)) {
            at += 8;
            continue;
        }
        const Letter letter = letter_at(text, at);
        const bool plain =
            letter.bytes > 1 ? !is_hidden(letter.code) : is_printable(text[at]) && !is_hash_command(text, at);
        if (!plain) return {at, letter};
        at += letter.bytes;
    }
    return {text.size(), {}};
}

std::string visible(std::string_view text) { return made_visible(text, {}); }

std::string visible_lines(std::string_view report, bool colors) {
    return made_visible(report, {true, colors, false});
}

std::string visible_source(std::string_view lines) { return made_visible(lines, {true, false, true}); }

Letter letter_at(std::string_view text, std::size_t at) {
    const auto first = static_cast<unsigned char>(text[at]);
    if (first < 0x80) return {first, 1};
    const std::size_t bytes = first >= 0xf0 ? 4 : first >= 0xe0 ? 3 : 2;
    if (first < 0xc2 || first > 0xf4 || text.size() - at < bytes) return {};
    std::uint32_t code = first & (0xffu >> (bytes + 1));
    for (std::size_t i = 1; i < bytes; ++i) {
        const auto next = static_cast<unsigned char>(text[at + i]);
        if ((next & 0xc0) != 0x80) return {};
        code = code << 6 | (next & 0x3f);
    }
    constexpr std::uint32_t smallest[] = {0, 0, 0x80, 0x800, 0x10000};
    const bool surrogate = code >= 0xd800 && code <= 0xdfff;
    return code < smallest[bytes] || code > 0x10ffff || surrogate ? Letter{} : Letter{code, bytes};
}

void add_utf8(std::string& text, std::uint32_t code) {
    if (code < 0x80) {
        text += static_cast<char>(code);
        return;
    }
    const int more = code < 0x800 ? 1 : code < 0x10000 ? 2 : 3;  // bytes of six bits after the first
    text += static_cast<char>((0xf0u << (3 - more) & 0xff) | code >> 6 * more);
    for (int i = more - 1; i >= 0; --i) text += static_cast<char>(0x80 | (code >> 6 * i & 0x3f));
}

}  // namespace ptxguard
