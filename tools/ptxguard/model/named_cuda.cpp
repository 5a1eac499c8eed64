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

bool is_dash_before_digit(std::string_view text, std::size_t at) {
    return at + 1 < text.size() && (text[at] == '-' || text[at] == '_') && is_digit(text[at + 1]);
}

// "11.8" of "11-8" and "11_8": one digit behind a major.
std::optional<Version> with_dash(std::string_view text, std::size_t begin, std::size_t end) {
    const bool minor = end - begin == 2 && is_dash_before_digit(text, end) &&
                       (end + 2 >= text.size() || !is_of_word(text[end + 2]));
    return minor ? cuda_of_number(std::string(text.substr(begin, 2)) + "." + text[end + 1]) : std::nullopt;
}

}  // namespace

std::string tag_of_cuda(const Version& cuda) {
    return "cu" + std::to_string(cuda.major()) + std::to_string(cuda.minor());
}

namespace {

// 7.0, 8.6 and the like are architectures.
bool is_release(const Version& version) {
    const auto minor = version.minor();
    switch (version.major()) {
        case 9: return minor <= 2;
        case 8: return minor == 0;
        case 7: return minor == 5;
        default: return version.major() > 9;
    }
}

}  // namespace

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
    return is_release(*version) ? version : std::nullopt;
}

namespace {

// Of the "cu" at `at` in small letters: "cu118", "cuda-11.8", "cublas_11".
std::optional<Version> cuda_at(std::string_view text, std::size_t at) {
    if (at > 0 && is_of_word(text[at - 1])) return std::nullopt;
    std::size_t begin = at + 2;
    for (const std::string_view word : {"cuda", "cublas"})
        if (text.substr(at, word.size()) == word) begin = at + word.size();
    const bool whole = begin > at + 2;
    if (whole && is_dash_before_digit(text, begin)) ++begin;
    const std::size_t end = end_of_number(text, begin);
    if (end == begin || (end < text.size() && is_of_word(text[end]))) return std::nullopt;
    if (whole)
        if (auto version = with_dash(text, begin, end)) return version;
    return cuda_of_number(text.substr(begin, end - begin));
}

}  // namespace

std::optional<Version> named_cuda(std::string_view name) {
    std::optional<Version> found;
    const std::string text = lower(std::string(name));
    for (std::size_t at = text.find("cu"); at != text.npos; at = text.find("cu", at + 1)) {
        const auto version = cuda_at(text, at);
        if (!version) continue;
        if (found && !is_same_cuda(*found, *version)) return std::nullopt;
        if (!found || found->numbers.size() < version->numbers.size()) found = version;
    }
    return found;
}

bool is_binding_of_cuda(std::string_view package) {
    return package == "cuda-bindings" ||
           package == "cuda-python";  // before 12.8 the modules were in this one
}

bool is_named_for_gpus(std::string_view package) {
    for (const std::string& word : split(std::string(package), "-"))
        if (word == "gpu" || starts_with(word, "cuda")) return true;
    return named_cuda(package).has_value();
}

bool is_same_cuda(const Version& a, const Version& b) {
    return a.major() == b.major() && (a.numbers.size() < 2 || b.numbers.size() < 2 || a.minor() == b.minor());
}

}  // namespace ptxguard
