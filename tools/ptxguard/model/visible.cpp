// SPDX-License-Identifier: Apache-2.0
#include "model/visible.hpp"

#include <cstdint>

#include "model/utf8.hpp"

namespace ptxguard {
namespace {

bool is_plain(char c) { return c >= 0x20 && c < 0x7f; }

std::string hexadecimal(std::uint32_t number, int digits) {
    std::string text;
    for (int shift = 4 * (digits - 1); shift >= 0; shift -= 4)
        text += "0123456789abcdef"[number >> shift & 15];
    return text;
}

std::string escaped(unsigned char byte) {
    if (byte == '\n') return "\\n";
    if (byte == '\r') return "\\r";
    if (byte == '\t') return "\\t";
    return "\\x" + hexadecimal(byte, 2);
}

// C1 controls, and the marks that change the direction of text.
bool is_hidden(std::uint32_t code) {
    return code < 0xa0 || (code >= 0x202a && code <= 0x202e) || (code >= 0x2066 && code <= 0x2069);
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

// "##[", "##vso[", "##teamcity[": CI systems read them anywhere in a line.
bool is_hash_command(std::string_view text, std::size_t at) {
    if (text.substr(at, 2) != "##") return false;
    std::size_t end = at + 2;
    while (end < text.size() && ((text[end] | 0x20) >= 'a' && (text[end] | 0x20) <= 'z')) ++end;
    return end < text.size() && text[end] == '[';
}

// Appends text[at], made visible, and returns how many bytes it was.
std::size_t add_visible(std::string& result, std::string_view text, std::size_t at) {
    if (is_plain(text[at])) return result += text[at], 1;
    const bool ascii = static_cast<unsigned char>(text[at]) < 0x80;
    const Letter letter = ascii ? Letter{} : letter_at(text, at);
    if (letter.bytes == 0) return result += escaped(static_cast<unsigned char>(text[at])), 1;
    if (is_hidden(letter.code))
        result += "\\u" + hexadecimal(letter.code, 4);
    else
        result += text.substr(at, letter.bytes);
    return letter.bytes;
}

}  // namespace

std::string visible(std::string_view text) {
    std::string result;
    result.reserve(text.size());
    for (std::size_t at = 0; at < text.size();) at += add_visible(result, text, at);
    return result;
}

std::string visible_lines(std::string_view report, bool colors) {
    std::string result;
    result.reserve(report.size());
    bool line_begins = true;  // only blanks so far; GitHub skips those, including Unicode ones
    for (std::size_t at = 0; at < report.size();) {
        const char c = report[at];
        if (const std::size_t color = colors && c == '\x1b' ? color_at(report, at) : 0) {
            result += report.substr(at, color);
            at += color;
            continue;
        }
        if (c == '\n') {
            line_begins = true;
            result += c;
            ++at;
            continue;
        }
        const bool command = (line_begins && report.substr(at, 2) == "::") || is_hash_command(report, at);
        if (c > ' ' && c < 0x7f) line_begins = false;
        if (!command) {
            at += add_visible(result, report, at);
            continue;
        }
        result += c == ':' ? "\\x3a" : "\\x23";
        ++at;
    }
    return result;
}

}  // namespace ptxguard
