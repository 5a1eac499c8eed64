// SPDX-License-Identifier: Apache-2.0
#include "messages/words_nearby.hpp"

#include <algorithm>
#include <map>

#include "messages/literal.hpp"
#include "messages/pattern.hpp"

namespace ptxguard {
namespace {

constexpr std::size_t k_letters = 4;
constexpr std::size_t k_near_reach = 128, k_other_blocks[] = {2, 8, 2, 16};  // by window
constexpr std::uint32_t k_library = 255;  // the word of all begins of libraries
constexpr int k_of_common = 8;            // points that a common part loses
constexpr int k_of_begin = 3;             // points of the begin of a word

// Small letters and digits; a blank for all others.
struct Characters {
    constexpr Characters() : plain() {
        for (char& one : plain) one = ' ';
        for (int c = '0'; c <= '9'; ++c) plain[c] = static_cast<char>(c);
        for (int c = 'a'; c <= 'z'; ++c) plain[c] = plain[c - 'a' + 'A'] = static_cast<char>(c);
    }
    char plain[256];
};
constexpr Characters k_characters;

char plain_letter(char c) { return k_characters.plain[static_cast<unsigned char>(c)]; }

std::uint32_t with_letter(std::uint32_t four, char c) {
    return four << 8 | static_cast<unsigned char>(plain_letter(c));
}

// In names and messages of all kinds.
bool is_common_part(std::string_view spelled) {
    char part[k_letters];
    std::transform(spelled.begin(), spelled.end(), part, plain_letter);
    for (const std::string_view one :
         {"lib", "bra", "fil", "dev", "inc", "dir", "dri", "pat", "run", "tim", "com"})
        if (std::string_view(part, spelled.size()).find(one) != std::string_view::npos) return true;
    return false;
}

bool is_optional(char c) { return c == '\'' || c == '`'; }

}  // namespace

std::string part_of_word(std::string_view text, bool begins) {
    std::string_view best;
    bool best_begins = false;
    int most = -k_of_common - 1;
    const auto take = [&](std::string_view part, bool is_begin, int points) {
        if (points <= most || (is_common_part(part) && (points -= k_of_common) <= most)) return;
        most = points;
        best = part;
        best_begins = is_begin;
    };
    for (std::size_t at = 0; at < text.size(); ++at) {
        int points = 0;
        std::size_t i = at;
        for (; i < text.size() && i < at + k_letters && plain_letter(text[i]) != ' '; ++i) {
            points += rarity(text[i]);
            const bool is_begin =
                at == 0 ? begins : plain_letter(text[at - 1]) == ' ' && !is_optional(text[at - 1]);
            if (i + 2 == at + k_letters && is_begin)
                take(text.substr(at, k_letters - 1), true, points + k_of_begin);
        }
        if (i == at + k_letters) take(text.substr(at, k_letters), false, points);
    }
    std::string part = best_begins ? " " : "";
    for (const char c : best) part += plain_letter(c);
    return part;
}

WordsNearby::WordsNearby(const std::vector<std::vector<Need>>& of_patterns)
    : m_known((1u << k_bits) / 64), m_parts(1u << k_slot_bits) {
    know_libraries();
    std::map<Wanted, std::uint32_t> known;
    for (const std::vector<Need>& needs : of_patterns) {
        m_first.push_back(static_cast<std::uint32_t>(m_wanted.size()));
        for (const Need& need : needs) {
            const bool is_near = need.reach <= k_near_reach;
            const Window window =
                need.before ? (is_near ? before_near : before_far) : (is_near ? after_near : after_far);
            const Wanted wanted{words_of(need), window};
            const auto [one, is_new] = known.try_emplace(wanted, static_cast<std::uint32_t>(m_all.size()));
            if (is_new) m_all.push_back(wanted);
            m_wanted.push_back(one->second);
        }
    }
    m_first.push_back(static_cast<std::uint32_t>(m_wanted.size()));
}

std::uint8_t& WordsNearby::word_of(std::uint32_t four) {
    const std::uint32_t hash = hash_of(four), bit = hash >> (32 - k_bits);
    m_known[bit / 64] |= std::uint64_t{1} << bit % 64;
    std::size_t at = hash >> (32 - k_slot_bits);
    while (m_parts[at].word != 0 && m_parts[at].four != four) at = (at + 1) % m_parts.size();
    m_parts[at].four = four;
    return m_parts[at].word;
}

void WordsNearby::add(std::uint32_t four, Set& words) const {
    const std::uint32_t hash = hash_of(four);
    if (!is_known(hash)) return;
    for (std::size_t at = hash >> (32 - k_slot_bits); m_parts[at].word != 0; at = (at + 1) % m_parts.size()) {
        const Part& part = m_parts[at];
        if (part.four != four) continue;
        words[part.word / 64] |= std::uint64_t{1} << part.word % 64;
        return;
    }
}

// There are more parts than words.
WordsNearby::Set WordsNearby::words_of(const Need& need) {
    Set words{};
    if (need.library) words[k_library / 64] |= std::uint64_t{1} << k_library % 64;
    for (const std::string& part : need.parts) {
        std::uint32_t four = 0;
        for (const char c : part) four = with_letter(four, c);
        std::uint8_t& word = word_of(four);
        if (word == 0) word = static_cast<std::uint8_t>(next_word());
        words[word / 64] |= std::uint64_t{1} << word % 64;
    }
    return words;
}

// "cu", "nv", "nccl" and "npp" where a name begins, also after "lib".
void WordsNearby::know_libraries() {
    for (const char before : {' ', 'b'})
        for (const std::string_view begin : {"cu", "nv", "nc", "np"})
            for (const char after : std::string_view(" abcdefghijklmnopqrstuvwxyz0123456789"))
                word_of(with_letter(with_letter(with_letter(with_letter(0, before), begin[0]), begin[1]),
                                    after)) = k_library;
}

std::uint32_t WordsNearby::next_word() {
    const std::uint32_t word = m_next_word;
    m_next_word = m_next_word % (k_library - 1) + 1;
    return word;
}

void WordsNearby::begin(std::string_view text) {
    m_text = text;
    m_blocks.resize(text.size() / k_block + 1);
    m_is_known.assign(m_blocks.size(), 0);
    m_near = {};
    m_answers.assign(m_all.size(), {});
}

bool WordsNearby::find_out(std::uint32_t wanted, std::size_t block) {
    const Wanted& one = m_all[wanted];
    const Set& words = near(block, one.window);
    std::uint64_t both = 0;
    for (std::size_t i = 0; i < k_words; ++i) both |= one.words[i] & words[i];
    m_answers[wanted] = {block, both != 0};
    return both != 0;
}

const WordsNearby::Set& WordsNearby::near(std::size_t block, Window window) {
    Near& known = m_near[window];
    if (known.block == block) return known.words;
    known.block = block;
    known.words = {};
    const bool before = window == before_near || window == before_far;
    const std::size_t others = k_other_blocks[window];
    const std::size_t from = !before ? block : block > others ? block - others : 0;
    const std::size_t to = before ? block : std::min(block + others, m_blocks.size() - 1);
    for (std::size_t one = from; one <= to; ++one) {
        const Set& words = of_block(one);
        for (std::size_t i = 0; i < k_words; ++i) known.words[i] |= words[i];
    }
    return known.words;
}

// The words whose last character is in the block.
const WordsNearby::Set& WordsNearby::of_block(std::size_t block) {
    Set& found = m_blocks[block];
    if (m_is_known[block]) return found;
    m_is_known[block] = 1;
    Set words{};
    const std::size_t from = block * k_block, to = std::min(from + k_block, m_text.size());
    std::uint32_t four = static_cast<unsigned char>(' ');
    std::size_t at = from > k_letters ? from - k_letters : 0;
    for (; at < from; ++at) {
        four = with_letter(four, m_text[at]);
        if (m_text[at] == k_line_break) add_broken_word(at, words);
    }
    const std::uint64_t* const known = m_known.data();
    const char* const text = m_text.data();
    for (; at < to; ++at) {
        four = with_letter(four, text[at]);
        const std::uint32_t bit = hash_of(four) >> (32 - k_bits);
        if ((known[bit / 64] >> bit % 64 & 1) != 0) add(four, words);  // few
        if (text[at] == k_line_break) add_broken_word(at, words);
    }
    return found = words;
}

// Those with a line break in them.
void WordsNearby::add_broken_word(std::size_t at, Set& words) const {
    if (!is_broken_word(m_text, at)) return;
    std::uint32_t four = static_cast<unsigned char>(' ');
    for (std::size_t i = at > k_letters ? at - k_letters : 0; i < std::min(at + k_letters, m_text.size());
         ++i) {
        if (i == at) continue;
        four = with_letter(four, m_text[i]);
        if (i > at) add(four, words);
    }
}

}  // namespace ptxguard
