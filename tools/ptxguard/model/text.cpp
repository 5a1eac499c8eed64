// SPDX-License-Identifier: Apache-2.0
#include "model/text.hpp"
#include "model/ranges.hpp"

#include <algorithm>

namespace ptxguard {

bool ends_with(std::string_view text, std::string_view end) {
    return text.size() >= end.size() && text.substr(text.size() - end.size()) == end;
}

bool starts_with(std::string_view text, std::string_view start) {
    return text.substr(0, start.size()) == start;
}

bool starts_with_any(std::string_view text, std::initializer_list<std::string_view> starts) {
    return any_of(starts, [&](std::string_view start) { return starts_with(text, start); });
}

std::string_view trimmed(std::string_view text) {
    constexpr std::string_view blanks = " \t\r\n\v\f";
    const std::size_t first = text.find_first_not_of(blanks);
    if (first == npos) return {};
    return text.substr(first, text.find_last_not_of(blanks) - first + 1);
}

std::string trim(std::string_view text) { return std::string(trimmed(text)); }

std::string lower(std::string_view text) {
    std::string result(text);
    for (char& c : result)
        if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
    return result;
}

std::string upper(std::string_view text) {
    std::string result(text);
    for (char& c : result)
        if (c >= 'a' && c <= 'z') c = static_cast<char>(c - 'a' + 'A');
    return result;
}

std::vector<std::string> split(std::string_view text, std::string_view separators) {
    std::vector<std::string> pieces;
    for (std::size_t at = 0; at < text.size();) {
        const std::size_t end = std::min(text.find_first_of(separators, at), text.size());
        if (end > at) pieces.emplace_back(text.substr(at, end - at));
        at = end + 1;
    }
    return pieces;
}

std::vector<std::string> plain_words(std::string_view text, std::string_view others) {
    std::vector<std::string> words;
    bool inside = false;
    for (const char c : text) {
        if (!is_word_character(c, others)) {
            inside = false;
            continue;
        }
        if (!inside) words.emplace_back();
        words.back() += c;
        inside = true;
    }
    return words;
}

std::vector<std::string> split_fields(std::string_view text, char separator) {
    std::vector<std::string> fields(1);
    for (const char c : text)
        if (c == separator)
            fields.emplace_back();
        else
            fields.back() += c;
    return fields;
}

std::string replace_all(std::string text, std::string_view from, std::string_view to) {
    for (std::size_t at = text.find(from); at != npos; at = text.find(from, at + to.size()))
        text.replace(at, from.size(), to);
    return text;
}

std::string joined(const std::vector<std::string>& words, std::string_view separator) {
    std::string text;
    for (std::size_t i = 0; i < words.size(); ++i) {
        if (i > 0) text += separator;
        text += words[i];
    }
    return text;
}

std::size_t length_of_name(std::string_view text) {
    std::size_t i = 0;
    while (i < text.size() && is_word_character(text[i]) && (i > 0 || !is_digit(text[i]))) ++i;
    return i;
}

bool is_name(std::string_view text) { return !text.empty() && length_of_name(text) == text.size(); }

bool all_digits(std::string_view text) { return !text.empty() && all_of(text, is_digit); }

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
    if (!word.empty() && !contains(words, word)) words.push_back(word);
}

std::string fnv1a(std::string_view bytes, std::uint64_t start) {
    std::uint64_t hash = start;
    for (const unsigned char byte : bytes) hash = (hash ^ byte) * 1099511628211u;
    std::string text;
    for (int shift = 60; shift >= 0; shift -= 4) text += "0123456789abcdef"[hash >> shift & 15];
    return text;
}

std::string without_hash(std::string_view stem) {
    const auto dash = stem.find_last_of("-.");
    if (dash == std::string_view::npos) return std::string(stem);
    const auto hash = stem.substr(dash + 1);
    const bool hexadecimal = hash.find_first_not_of("0123456789abcdef") == std::string_view::npos;
    return std::string(hexadecimal && (hash.size() == 8 || hash.size() == 32) ? stem.substr(0, dash) : stem);
}

// Edit distance with swaps (optimal string alignment), three rows at a time.
int edit_distance(std::string_view a, std::string_view b) {
    std::vector<int> before(b.size() + 1), previous(b.size() + 1), row(b.size() + 1);
    for (std::size_t j = 0; j <= b.size(); ++j) previous[j] = static_cast<int>(j);
    for (std::size_t i = 1; i <= a.size(); ++i) {
        row[0] = static_cast<int>(i);
        for (std::size_t j = 1; j <= b.size(); ++j) {
            int replace = previous[j - 1] + (a[i - 1] != b[j - 1]);
            row[j] = std::min({replace, previous[j] + 1, row[j - 1] + 1});
            if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
                row[j] = std::min(row[j], before[j - 2] + 1);
        }
        before.swap(previous);
        previous.swap(row);
    }
    return previous[b.size()];
}

std::string nearest_word(std::string_view word, const std::vector<std::string>& known) {
    std::string nearest;
    // One number is not a misspelling of another.
    if (all_of(word, is_digit)) return nearest;
    int best = std::max(1, static_cast<int>(word.size()) / 3) + 1;
    for (const std::string& candidate : known) {
        int distance = edit_distance(word, candidate);
        if (distance < best) {
            best = distance;
            nearest = candidate;
        }
    }
    return nearest;
}

std::string did_you_mean(std::string_view word, const std::vector<std::string>& known) {
    std::string nearest = nearest_word(word, known);
    return nearest.empty() ? "" : ", did you mean '" + nearest + "'?";
}

}  // namespace ptxguard
