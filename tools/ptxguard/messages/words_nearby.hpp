// Which words are near an anchor. Most patterns whose anchor is common ("not found") need a word of CUDA
// beside it, and whether one is there is known for all of them at once. A word is known by three of its
// letters.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <tuple>
#include <vector>

namespace ptxguard {

// One of these parts of words is in each match, no further than `reach` from the first character of the
// anchor.
struct Need {
    std::vector<std::string> parts;  // of four characters, a blank for what is no letter
    std::size_t reach = 0;
    bool before = false;   // the anchor
    bool library = false;  // the begin of a path of pattern.hpp's type library instead of the parts
};

// The part of a text that few other words have; "" = none. `begins`: no letter is before the text.
std::string part_of_word(std::string_view text, bool begins);
class WordsNearby {
public:
    explicit WordsNearby(const std::vector<std::vector<Need>>& of_patterns);

    // The text that is searched next.
    void begin(std::string_view text);
    // Whether what the pattern needs is near the anchor at `at`.
    bool may_match(std::uint32_t pattern, std::size_t at) {
        const std::size_t block = at / k_block;
        for (std::uint32_t i = m_first[pattern]; i != m_first[pattern + 1]; ++i) {
            const Answer& known = m_answers[m_wanted[i]];
            if (!(known.block == block ? known.is_there : find_out(m_wanted[i], block))) return false;
        }
        return true;
    }

private:
    static constexpr std::size_t k_block = 64, k_words = 4;
    using Set = std::array<std::uint64_t, k_words>;
    enum Window : std::uint8_t { before_near, before_far, after_near, after_far, windows };
    struct Wanted {
        Set words{};
        Window window = before_near;
        bool operator<(const Wanted& other) const {
            return std::tie(window, words) < std::tie(other.window, other.words);
        }
    };

    static std::uint32_t hash_of(std::uint32_t four) { return four * 2654435761u; }
    bool is_known(std::uint32_t hash) const {
        const std::uint32_t bit = hash >> (32 - k_bits);
        return (m_known[bit / 64] >> bit % 64 & 1) != 0;
    }
    std::uint8_t& word_of(std::uint32_t four);
    void add(std::uint32_t four, Set& words) const;
    Set words_of(const Need& need);
    std::uint32_t next_word();
    void know_libraries();
    void add_broken_word(std::size_t at, Set& words) const;
    bool find_out(std::uint32_t wanted, std::size_t block);
    // The words of a block and of those before or after it.
    const Set& near(std::size_t block, Window window);
    const Set& of_block(std::size_t block);

    static constexpr int k_bits = 15, k_slot_bits = 13;
    std::vector<std::uint64_t> m_known;  // a bit per hash of four characters: few bytes, of each text
    struct Part {
        std::uint32_t four = 0;
        std::uint8_t word = 0;  // 0 = none
    };
    std::vector<Part> m_parts;  // by hash; a free one is after each that is taken
    std::uint32_t m_next_word = 1;
    std::vector<Wanted> m_all;            // different ones
    std::vector<std::uint32_t> m_wanted;  // by all patterns, one after another
    std::vector<std::uint32_t> m_first;   // of a pattern
    std::string_view m_text;
    std::vector<Set> m_blocks;
    std::vector<char> m_is_known;  // of m_blocks
    struct Near {
        std::size_t block = std::string_view::npos;
        Set words{};
    };
    std::array<Near, windows> m_near;
    // Of one of m_all: most anchors in a block ask the same.
    struct Answer {
        std::size_t block = std::string_view::npos;
        bool is_there = false;
    };
    std::vector<Answer> m_answers;
};

}  // namespace ptxguard
