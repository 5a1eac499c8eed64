// Whether an output does harm, written down apart from model/visible.cpp, so that a fault there is found.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstdint>
#include <string>

#include "model/text.hpp"
#include "model/visible.hpp"

namespace harm {

using ptxguard::npos;

inline bool commands_a_terminal(std::uint32_t code) {
    return (code < 0x20 && code != '\n') || (code >= 0x7f && code < 0xa0) || code == 0x61c ||
           code == 0x200e || code == 0x200f || (code >= 0x2028 && code <= 0x202e) ||
           (code >= 0x2066 && code <= 0x2069);
}

inline bool commands_ci(const std::string& line, bool annotates) {
    for (const char* command : {"##vso[", "##[", "##teamcity["})
        if (ptxguard::lower(line).find(command) != npos) return true;
    std::size_t begin = 0;  // behind all blanks, also those of Unicode
    while (begin < line.size() && (line[begin] <= ' ' || line[begin] > '~')) ++begin;
    const std::string text = line.substr(begin);
    const auto is_annotation = [&](const char* start) { return ptxguard::starts_with(text, start); };
    return ptxguard::starts_with(text, "::") &&
           !(annotates &&
             (is_annotation("::error ") || is_annotation("::warning ") || is_annotation("::notice ")));
}

// What is wrong with the output, which may have annotations of GitHub; "" if it is harmless.
inline std::string of(const std::string& output, bool annotates) {
    for (std::size_t at = 0; at < output.size();) {
        const ptxguard::Letter letter = ptxguard::letter_at(output, at);
        if (letter.bytes == 0) return "not UTF-8: " + output.substr(at);
        if (commands_a_terminal(letter.code))
            return "U+" + std::to_string(letter.code) + ": " + output.substr(at);
        at += letter.bytes;
    }
    for (std::size_t begin = 0; begin < output.size();) {
        const std::size_t end = std::min(output.find('\n', begin), output.size());
        const std::string line = output.substr(begin, end - begin);
        if (commands_ci(line, annotates)) return "a command: " + line;
        begin = end + 1;
    }
    return "";
}

}  // namespace harm
