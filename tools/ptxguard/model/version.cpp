// Reading and comparing version numbers.
// SPDX-License-Identifier: Apache-2.0
#include "model/version.hpp"

#include <algorithm>

#include "model/text.hpp"

namespace ptxguard {
namespace {

// One number of at most eight digits at `at`; -1 if there is none.
int read_number(std::string_view text, std::size_t& at) {
    std::size_t start = at;
    int value = 0;
    while (at < text.size() && is_digit(text[at])) {
        if (at - start >= 8) return -1;
        value = value * 10 + (text[at] - '0');
        ++at;
    }
    return at == start ? -1 : value;
}

std::vector<int> read_numbers(std::string_view text, std::size_t& at) {
    std::vector<int> numbers;
    while (true) {
        std::size_t before = at;
        if (!numbers.empty()) {
            if (at >= text.size() || text[at] != '.') return numbers;
            ++at;
        }
        int number = read_number(text, at);
        if (number < 0) {
            at = before;
            return numbers;
        }
        numbers.push_back(number);
    }
}

// What may follow the numbers: a pre-release, a local part, a post release; never "x" or ".x".
bool is_suffix(std::string_view rest) {
    if (rest.empty()) return true;
    for (char c : rest)
        if (!is_word_character(c, ".+-_")) return false;
    if (rest[0] == '+' || rest[0] == '-' || rest[0] == '_') return rest.size() > 1;
    for (std::string_view start : {"a", "b", "c", "rc", "dev", ".dev", ".post", "post", ".rc", ".a", ".b"})
        if (rest.substr(0, start.size()) == start && rest.size() > start.size() &&
            is_digit(rest[start.size()]))
            return true;
    return false;
}

}  // namespace

std::string Version::local() const {
    auto plus = suffix.find('+');
    return plus == std::string::npos ? "" : suffix.substr(plus + 1);
}

bool Version::is_prerelease() const {
    std::string_view rest = suffix;
    if (!rest.empty() && rest[0] == '.') rest.remove_prefix(1);
    if (rest.empty() || rest[0] == '+' || rest.substr(0, 4) == "post") return false;
    return rest[0] == 'a' || rest[0] == 'b' || rest[0] == 'c' || rest.substr(0, 2) == "rc" ||
           rest.substr(0, 3) == "dev";
}

std::optional<Version> parse_version(std::string_view text) {
    Version version;
    version.text = text;
    if (!text.empty() && (text[0] == 'v' || text[0] == 'V')) text.remove_prefix(1);
    std::size_t at = 0;
    version.numbers = read_numbers(text, at);
    if (version.numbers.empty() || !is_suffix(text.substr(at))) return std::nullopt;
    version.suffix = text.substr(at);
    return version;
}

std::optional<Version> find_version(std::string_view text, std::string_view marker) {
    for (std::size_t start = 0; start < text.size();) {
        std::size_t at = marker.empty() ? start : text.find(marker, start);
        if (at == std::string_view::npos) return std::nullopt;
        at += marker.size();
        if (marker.empty())
            while (at < text.size() && !is_digit(text[at])) ++at;
        std::size_t end = at;
        std::vector<int> numbers = read_numbers(text, end);
        if (!numbers.empty()) {
            Version version;
            version.numbers = std::move(numbers);
            version.text = text.substr(at, end - at);
            return version;
        }
        start = at + 1;
    }
    return std::nullopt;
}

int compare(const Version& a, const Version& b) {
    for (std::size_t i = 0; i < std::max(a.numbers.size(), b.numbers.size()); ++i)
        if (a.at(i) != b.at(i)) return a.at(i) < b.at(i) ? -1 : 1;
    if (a.is_prerelease() != b.is_prerelease()) return a.is_prerelease() ? -1 : 1;
    if (!a.is_prerelease()) return 0;
    return a.suffix == b.suffix ? 0 : (a.suffix < b.suffix ? -1 : 1);
}

std::optional<Version> with_dot(std::string_view digits) {
    return parse_version(std::string(digits.substr(0, digits.size() - 1)) + "." +
                         std::string(digits.substr(digits.size() - 1)));
}

bool is_within(const Version& version, const std::optional<Version>& from,
               const std::optional<Version>& below) {
    return (!from || version >= *from) && (!below || version < *below);
}

std::optional<Version> cuda_of_tag(std::string_view tag) {
    if (!starts_with(tag, "cu")) return std::nullopt;
    const std::string_view digits = tag.substr(2);
    if (!all_digits(digits) || digits.size() < 2 || digits.size() > 3) return std::nullopt;
    if (digits.size() == 2 && digits[0] < '5') return std::nullopt;  // cu12 has no minor
    return with_dot(digits);
}

bool is_build_tag(std::string_view tag) {
    return tag == "cpu" || tag == "xpu" || cuda_of_tag(tag) || starts_with_any(tag, {"rocm", "cuda"});
}

std::optional<PtxVersion> parse_ptx_version(std::string_view text) {
    std::size_t at = 0;
    std::vector<int> numbers = read_numbers(text, at);
    if (numbers.size() != 2 || at != text.size()) return std::nullopt;
    return PtxVersion{numbers[0], numbers[1]};
}

}  // namespace ptxguard
