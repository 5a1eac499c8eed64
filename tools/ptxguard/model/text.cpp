// SPDX-License-Identifier: Apache-2.0
#include "model/text.hpp"

namespace ptxguard {

bool ends_with(std::string_view text, std::string_view end) {
    return text.size() >= end.size() && text.substr(text.size() - end.size()) == end;
}

bool starts_with(std::string_view text, std::string_view start) {
    return text.substr(0, start.size()) == start;
}

std::string lower(std::string_view text) {
    std::string result(text);
    for (char& c : result)
        if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
    return result;
}

std::string list(const std::vector<std::string>& words) {
    std::string text;
    for (std::size_t i = 0; i < words.size(); ++i) {
        if (i > 0) text += i + 1 == words.size() ? " and " : ", ";
        text += words[i];
    }
    return text;
}

std::string without_hash(std::string_view stem) {
    const auto dash = stem.rfind('-');
    if (dash == std::string_view::npos) return std::string(stem);
    const auto hash = stem.substr(dash + 1);
    const bool hexadecimal = hash.find_first_not_of("0123456789abcdef") == std::string_view::npos;
    return std::string(hexadecimal && (hash.size() == 8 || hash.size() == 32) ? stem.substr(0, dash) : stem);
}

}  // namespace ptxguard
