// Splits and cleans lines; decodes nothing: the readers search for ASCII, which is the same in every encoding
// that they accept.
// SPDX-License-Identifier: Apache-2.0
#include "formats/text_lines.hpp"

#include <algorithm>
#include <cstring>

namespace ptxguard {
namespace {

// A continuation byte of a UTF-8 character.
bool is_rest(char c) { return (static_cast<unsigned char>(c) & 0xC0) == 0x80; }

std::size_t controls_in(std::string_view bytes) {
    return static_cast<std::size_t>(std::count_if(bytes.begin(), bytes.end(), [](char c) {
        return static_cast<unsigned char>(c) < 0x20 && c != '\n' && c != '\r' && c != '\t' && c != '\f';
    }));
}

// In pieces: a text of '\r' only must not be searched for '\n' once per line.
std::size_t end_of_line(std::string_view text) {
    constexpr std::size_t k_piece = 512;
    for (std::size_t at = 0; at < text.size(); at += k_piece) {
        const std::string_view piece = text.substr(at, k_piece);
        const std::string_view line = piece.substr(0, piece.find('\n'));
        const std::size_t end = std::min(line.find('\r'), line.size());
        if (end < piece.size()) return at + end;
    }
    return text.size();
}

}  // namespace

std::string_view without_mark(std::string_view text) {
    constexpr std::string_view mark = "\xEF\xBB\xBF";
    return text.substr(0, mark.size()) == mark ? text.substr(mark.size()) : text;
}

std::string_view take_line(std::string_view& text) {
    const std::size_t end = end_of_line(text);
    const std::string_view line = text.substr(0, end);
    const bool pair = text.substr(end, 2) == "\r\n";
    text.remove_prefix(std::min(end + (pair ? 2 : 1), text.size()));
    return line;
}

std::vector<std::string_view> lines_of(std::string_view text) {
    text = without_mark(text);
    std::vector<std::string_view> lines;
    while (!text.empty()) lines.push_back(take_line(text));
    return lines;
}

std::size_t bytes_of(std::string_view line, std::size_t count) {
    constexpr std::size_t k_farthest = 2000;  // a parser calls this for each value of a line
    if (count > k_farthest) return count;
    std::size_t at = 0;
    for (; at < line.size() && (count > 0 || is_rest(line[at])); ++at)
        if (!is_rest(line[at])) --count;
    return at;
}

std::size_t characters_of(std::string_view text) {
    return text.size() - static_cast<std::size_t>(std::count_if(text.begin(), text.end(), is_rest));
}

std::string why_not_text(std::string_view bytes) {
    const std::string_view start = bytes.substr(0, 2);
    if (start == "\xFF\xFE" || start == "\xFE\xFF") return "is UTF-16, not UTF-8";
    if (bytes.find('\0') != std::string_view::npos) return "is binary: it holds NUL bytes";
    const std::size_t size = bytes.size();
    std::size_t controls = 0;
    for (; bytes.size() >= sizeof(std::uint64_t); bytes.remove_prefix(sizeof(std::uint64_t))) {
        // This reads every file: words without a byte below 0x20 are skipped.
        constexpr std::uint64_t k_blanks = 0x2020202020202020u, k_highest = 0x8080808080808080u;
        std::uint64_t word = 0;
        std::memcpy(&word, bytes.data(), sizeof word);
        if (((word - k_blanks) & ~word & k_highest) != 0)
            controls += controls_in(bytes.substr(0, sizeof word));
    }
    controls += controls_in(bytes);
    return controls * 20 > size ? "is binary: it is full of control characters" : "";
}

std::optional<std::uint64_t> decimal(std::string_view text) {
    if (text.empty() || text.size() > 18) return std::nullopt;
    std::uint64_t number = 0;
    for (const char c : text) {
        if (c < '0' || c > '9') return std::nullopt;
        number = number * 10 + static_cast<std::uint64_t>(c - '0');
    }
    return number;
}

}  // namespace ptxguard
