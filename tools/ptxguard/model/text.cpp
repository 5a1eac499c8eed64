// SPDX-License-Identifier: Apache-2.0
#include "model/text.hpp"

#include <algorithm>

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

std::string some_of(std::vector<std::string> words, std::size_t most) {
    if (words.size() > most) {
        const std::size_t others = words.size() - most;
        words.resize(most);
        words.push_back(std::to_string(others) + " more");
    }
    return list(words);
}

void add_once(std::vector<std::string>& words, const std::string& word) {
    if (!word.empty() && std::find(words.begin(), words.end(), word) == words.end()) words.push_back(word);
}

std::string fnv1a(std::string_view bytes, std::uint64_t start) {
    std::uint64_t hash = start;
    for (const unsigned char byte : bytes) hash = (hash ^ byte) * 1099511628211u;
    std::string text;
    for (int shift = 60; shift >= 0; shift -= 4) text += "0123456789abcdef"[hash >> shift & 15];
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
