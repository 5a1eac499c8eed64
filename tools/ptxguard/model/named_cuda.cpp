// SPDX-License-Identifier: Apache-2.0
#include "model/named_cuda.hpp"

#include <string>

#include "model/text.hpp"

namespace ptxguard {
namespace {

bool is_of_word(char c) { return is_word_character(c, ""); }

// The end of "11.4" in "11.4.yml", of "118" in "118.txt", of "11x".
std::size_t end_of_number(std::string_view text, std::size_t at) {
    const auto is_digit_at = [&](std::size_t i) { return i < text.size() && is_digit(text[i]); };
    while (is_digit_at(at)) ++at;
    while (at < text.size() && text[at] == '.' && is_digit_at(at + 1))
        for (++at; is_digit_at(at);) ++at;
    if (at < text.size() && (text[at] == 'x' || text[at] == 'X')) ++at;
    return at;
}

// "11.8" of "11-8" and "11_8": one digit behind a major.
std::optional<Version> with_dash(std::string_view text, std::size_t begin, std::size_t end) {
    const bool minor = end - begin == 2 && end + 1 < text.size() && (text[end] == '-' || text[end] == '_') &&
                       is_digit(text[end + 1]) && (end + 2 >= text.size() || !is_of_word(text[end + 2]));
    return minor ? cuda_of_number(std::string(text.substr(begin, 2)) + "." + text[end + 1]) : std::nullopt;
}

}  // namespace

std::string tag_of_cuda(const Version& cuda) {
    return "cu" + std::to_string(cuda.major()) + std::to_string(cuda.minor());
}

std::optional<Version> cuda_of_number(std::string_view number) {
    if (!number.empty() && (number.back() == 'x' || number.back() == 'X')) number.remove_suffix(1);
    std::optional<Version> version;
    if (number.find('.') != number.npos) {
        version = parse_version(number);
    } else if (!all_digits(std::string(number)) || number.size() < 2 || number.size() > 4) {
        return std::nullopt;
    } else if (number.size() == 4) {
        version = parse_version(std::string(number.substr(0, 2)) + "." + number[2] + "." + number[3]);
    } else {
        version = number.size() == 2 && number[0] == '1' ? parse_version(number) : with_dot(number);
    }
    if (!version || !version->suffix.empty() || version->major() >= 20) return std::nullopt;
    // 7.0, 8.6 and the like are architectures.
    const int minor = version->minor();
    const bool release = version->major() == 9   ? minor <= 2
                         : version->major() == 8 ? minor == 0
                         : version->major() == 7 ? minor == 5
                                                 : version->major() > 9;
    return release ? version : std::nullopt;
}

std::optional<Version> named_cuda(std::string_view name) {
    std::optional<Version> found;
    const std::string text = lower(std::string(name));
    for (std::size_t at = text.find("cu"); at != text.npos; at = text.find("cu", at + 1)) {
        if (at > 0 && is_of_word(text[at - 1])) continue;
        std::size_t begin = at + 2;
        for (const std::string_view word : {"cuda", "cublas"})
            if (text.compare(at, word.size(), word) == 0) begin = at + word.size();
        const bool whole = begin > at + 2;
        if (whole && begin + 1 < text.size() && (text[begin] == '-' || text[begin] == '_') &&
            is_digit(text[begin + 1]))
            ++begin;
        const std::size_t end = end_of_number(text, begin);
        if (end == begin || (end < text.size() && is_of_word(text[end]))) continue;
        auto version = whole ? with_dash(text, begin, end) : std::nullopt;
        if (!version) version = cuda_of_number(std::string_view(text).substr(begin, end - begin));
        if (!version) continue;
        if (found && !is_same_cuda(*found, *version)) return std::nullopt;
        if (!found || found->numbers.size() < version->numbers.size()) found = version;
    }
    return found;
}

bool is_same_cuda(const Version& a, const Version& b) {
    return a.major() == b.major() && (a.numbers.size() < 2 || b.numbers.size() < 2 || a.minor() == b.minor());
}

}  // namespace ptxguard
