// SPDX-License-Identifier: Apache-2.0
#include "commands/error_texts.hpp"

#include <algorithm>

#include "model/ranges.hpp"
#include "model/text.hpp"

namespace ptxguard {
namespace {

// A text as comparable words: lower case, numbers in one class, because versions, architectures and paths
// differ between reports.
struct TextWord {
    std::string text;    // with '#' for each number
    std::string number;  // the original number, if `text` is "#"
};

bool is_part(char c) { return is_word_character(c, "_*"); }

bool names_an_error(const std::string& word) {
    static const char* const words[] = {"error", "winerror", "errno", "code", "failure", "status"};
    return any_of(words, [&](const char* one) { return word == one; });
}

// "sm_121a" and "sm_90": "sm_#"; "nvjitlinkcomplete_12_4": "nvjitlinkcomplete_#". A mangled name keeps its
// numbers.
std::string without_numbers(const std::string& word) {
    if (starts_with(word, "_z")) return word;
    std::string text;
    for (std::size_t i = 0; i < word.size(); ++i) {
        if (!is_digit(word[i])) {
            text += word[i];
            continue;
        }
        while (i + 1 < word.size() && is_digit(word[i + 1])) ++i;
        if (i + 2 == word.size() && is_letter(word[i + 1])) ++i;
        if (ends_with(text, "#_")) text.pop_back();
        if (!ends_with(text, "#")) text += '#';
    }
    return text;
}

bool is_gap(const TextWord& word) { return word.text == "*"; }

bool same(const TextWord& page, const TextWord& asked, bool last) {
    if (page.text == asked.text) return true;
    const std::string& start = page.text;
    if (start.size() > 1 && start.back() == '*')
        return starts_with(asked.text, start.substr(0, start.size() - 1));
    constexpr std::size_t k_cut = 6;  // a page's text may end within a word
    return last && start.size() >= k_cut && starts_with(asked.text, start);
}

int weight(const TextWord& page, const TextWord& asked) {
    if (page.text == "#") return page.number == asked.number ? 1 : 0;
    return static_cast<int>(page.text.size());
}

// The letters of `text` in `words` from `at`, or 0: all of it must be there, in this order.
int found_at(const std::vector<TextWord>& text, const std::vector<TextWord>& words, std::size_t at) {
    constexpr std::size_t k_gap = 12;
    int letters = 1;
    for (std::size_t i = 0; i < text.size(); ++i) {
        if (is_gap(text[i])) {
            if (i + 1 == text.size()) break;
            const std::size_t end = std::min(words.size(), at + k_gap + 1);
            while (at < end && !same(text[i + 1], words[at], i + 2 == text.size())) ++at;
            continue;
        }
        if (at >= words.size() || !same(text[i], words[at], i + 1 == text.size())) return 0;
        letters += weight(text[i], words[at++]);
    }
    return letters;
}

int best_of(const std::vector<TextWord>& text, const std::vector<TextWord>& words) {
    int best = 0;
    for (std::size_t at = 0; at < words.size(); ++at) best = std::max(best, found_at(text, words, at));
    return best;
}

// The letters of the start of `text` with which `words` ends: pasted text may be truncated.
int cut_off(const std::vector<TextWord>& text, const std::vector<TextWord>& words) {
    for (std::size_t at = 0; at < words.size(); ++at) {
        const std::size_t length = words.size() - at;
        if (length > text.size()) continue;
        int letters = 0;
        std::size_t i = 0;
        for (; i < length && same(text[i], words[at + i], i + 1 == text.size()); ++i)
            letters += weight(text[i], words[at + i]);
        if (i == length) return letters;
    }
    return 0;
}

int letters_in(const std::vector<TextWord>& words) {
    int letters = 0;
    for (const TextWord& word : words)
        letters += is_gap(word) || word.text == "#" ? 0 : static_cast<int>(word.text.size());
    return letters;
}

// A number is kept if it names an error ("error 222").
std::vector<TextWord> text_words(std::string_view text) {
    std::vector<std::string> raw(1);
    for (const char c : lower(text)) {
        if (is_part(c))
            raw.back() += c;
        else if (!raw.back().empty())
            raw.emplace_back();
    }
    if (raw.back().empty()) raw.pop_back();
    std::vector<TextWord> words;
    for (std::size_t i = 0; i < raw.size(); ++i) {
        const bool error = raw.size() == 1 || (i > 0 && names_an_error(raw[i - 1]));
        const bool number = all_of(raw[i], is_digit);
        if (number && error && raw[i].size() > 1)
            words.push_back({raw[i], ""});
        else if (const std::string word = without_numbers(raw[i]); word != "#")
            words.push_back({word, ""});
        else if (words.empty() || words.back().text != "#")
            words.push_back({word, raw[i]});
        else
            words.back().number += "." + raw[i];  // "13.0.88" is one number
    }
    return words;
}

}  // namespace

int text_fit(std::string_view page_text, std::string_view asked) {
    // Minimum letters for a match of a partial sentence.
    constexpr int k_enough = 10, k_part = 12, k_cut_off = 30;
    const std::vector<TextWord> page = text_words(page_text), question = text_words(asked);
    int fit = letters_in(page) >= k_enough ? best_of(page, question) : 0;
    if (!fit && letters_in(question) >= k_part) fit = best_of(question, page);
    if (const int letters = fit ? 0 : cut_off(page, question); letters >= k_cut_off) fit = letters;
    if (fit) return fit;
    // "error 222" in "CUDA error 222 at launch"
    for (const TextWord& word : question)
        if (all_of(word.text, is_digit) &&
            any_of(page, [&](const TextWord& one) { return one.text == word.text; }))
            return static_cast<int>(word.text.size());
    return 0;
}

}  // namespace ptxguard
