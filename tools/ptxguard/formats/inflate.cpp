// Codes of up to 10 bits are looked up in one table, longer ones bit by bit.
// SPDX-License-Identifier: Apache-2.0
#include "formats/inflate.hpp"

#include <algorithm>
#include <array>
#include <cstring>
#include <vector>

namespace ptxguard {
namespace {

constexpr unsigned k_fast_bits = 10, k_longest = 15, k_end = 256;
constexpr std::size_t k_chunk = 1u << 18;
constexpr int k_bad = -1;

constexpr std::uint16_t k_length[] = {3,  4,  5,  6,  7,  8,  9,  10, 11,  13,  15,  17,  19,  23, 27,
                                      31, 35, 43, 51, 59, 67, 83, 99, 115, 131, 163, 195, 227, 258};
constexpr std::uint8_t k_length_bits[] = {0, 0, 0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 2, 2, 2,
                                          2, 3, 3, 3, 3, 4, 4, 4, 4, 5, 5, 5, 5, 0};
constexpr std::uint16_t k_distance[] = {1,    2,    3,    4,    5,    7,    9,    13,    17,    25,
                                        33,   49,   65,   97,   129,  193,  257,  385,   513,   769,
                                        1025, 1537, 2049, 3073, 4097, 6145, 8193, 12289, 16385, 24577};
constexpr std::uint8_t k_code_order[] = {16, 17, 18, 0, 8, 7, 9, 6, 10, 5, 11, 4, 12, 3, 13, 2, 14, 1, 15};

// A canonical code, from the lengths of its symbols.
class Code {
public:
    // False: the lengths do not form a code.
    bool set(const std::uint8_t* lengths, std::size_t symbols) {
        m_count.fill(0);
        m_fast.fill(0);
        for (std::size_t i = 0; i < symbols; ++i) ++m_count[lengths[i]];
        m_count[0] = 0;
        int left = 1;
        std::array<std::uint16_t, k_longest + 1> next{}, at{};
        for (unsigned length = 1; length <= k_longest; ++length) {
            left = left * 2 - m_count[length];
            if (left < 0) return false;
            next[length] = static_cast<std::uint16_t>((next[length - 1] + m_count[length - 1]) * 2);
            at[length] = static_cast<std::uint16_t>(at[length - 1] + m_count[length - 1]);
        }
        for (std::size_t i = 0; i < symbols; ++i) {
            const unsigned length = lengths[i];
            if (length == 0) continue;
            m_symbols[at[length]++] = static_cast<std::uint16_t>(i);
            const unsigned code = next[length]++;
            if (length > k_fast_bits) continue;
            unsigned reversed = 0;
            for (unsigned bit = 0; bit < length; ++bit)
                reversed |= ((code >> bit) & 1u) << (length - 1 - bit);
            for (unsigned slot = reversed; slot < m_fast.size(); slot += 1u << length)
                m_fast[slot] = static_cast<std::uint16_t>(i << 4 | length);
        }
        return true;
    }

    // The symbol at the lowest of these bits and its length; k_bad = none.
    int decode(std::uint64_t bits, unsigned& length) const {
        if (const unsigned fast = m_fast[bits & (m_fast.size() - 1)]) {
            length = fast & 15;
            return static_cast<int>(fast >> 4);
        }
        int code = 0, first = 0, index = 0;
        for (length = 1; length <= k_longest; ++length) {
            code |= static_cast<int>(bits & 1);
            bits >>= 1;
            const int count = m_count[length];
            if (code - count < first) return m_symbols[static_cast<std::size_t>(index + code - first)];
            index += count;
            first = (first + count) * 2;
            code *= 2;
        }
        return k_bad;
    }

private:
    std::array<std::uint16_t, k_longest + 1> m_count{};
    std::array<std::uint16_t, 288> m_symbols{};
    std::array<std::uint16_t, 1u << k_fast_bits> m_fast{};
};

class Inflater {
public:
    Inflater(const Source& packed, std::uint64_t size) : m_source(packed), m_size(size) {
        m_out.resize(static_cast<std::size_t>(size));
    }

    bool run() {
        bool last = false;
        while (!last) {
            last = take(1) != 0;
            const std::uint64_t kind = take(2);
            if (m_short) return false;
            const bool good = kind == 0 ? stored() : kind == 1 ? fixed() : kind == 2 && dynamic();
            if (!good || m_short) return false;
        }
        return m_done == m_size;
    }
    std::string take_out() { return std::move(m_out); }

private:
    void fill() {
        while (m_bit_count <= 56) {
            if (m_at == m_chunk.size() && !next_chunk()) return;
            m_bits |= static_cast<std::uint64_t>(static_cast<unsigned char>(m_chunk[m_at++])) << m_bit_count;
            m_bit_count += 8;
        }
    }
    bool next_chunk() {
        m_chunk = read_bytes(m_source, m_offset, k_chunk);
        m_offset += m_chunk.size();
        m_at = 0;
        return !m_chunk.empty();
    }
    void drop(unsigned count) {
        m_short = m_short || count > m_bit_count;
        if (m_short) return;
        m_bits >>= count;
        m_bit_count -= count;
    }
    std::uint64_t take(unsigned count) {
        fill();
        const std::uint64_t value = m_bits & ((std::uint64_t{1} << count) - 1);
        drop(count);
        return value;
    }
    int symbol(const Code& code) {
        fill();
        unsigned length = 0;
        const int found = code.decode(m_bits, length);
        if (found != k_bad) drop(length);
        return m_short ? k_bad : found;
    }

    bool stored() {
        drop(m_bit_count % 8);
        const std::uint64_t length = take(16), inverse = take(16);
        if (m_short || (length ^ inverse) != 0xffff || length > m_size - m_done) return false;
        for (std::uint64_t i = 0; i < length; ++i) m_out[m_done++] = static_cast<char>(take(8));
        return true;
    }

    bool fixed() {
        std::array<std::uint8_t, 288> lengths{};
        for (std::size_t i = 0; i < lengths.size(); ++i)
            lengths[i] = static_cast<std::uint8_t>(i < 144 ? 8 : i < 256 ? 9 : i < 280 ? 7 : 8);
        std::array<std::uint8_t, 30> distances{};
        distances.fill(5);
        return m_literals.set(lengths.data(), lengths.size()) &&
               m_distances.set(distances.data(), distances.size()) && codes();
    }

    bool dynamic() {
        const std::size_t literals = take(5) + 257, distances = take(5) + 1, groups = take(4) + 4;
        if (m_short || literals > 286 || distances > 30) return false;
        std::array<std::uint8_t, 320> lengths{};
        for (std::size_t i = 0; i < groups; ++i)
            lengths[k_code_order[i]] = static_cast<std::uint8_t>(take(3));
        if (!m_literals.set(lengths.data(), 19)) return false;
        const Code code = m_literals;
        lengths.fill(0);
        for (std::size_t i = 0; i < literals + distances;) {
            const int found = symbol(code);
            if (found == k_bad) return false;
            if (found < 16) {
                lengths[i++] = static_cast<std::uint8_t>(found);
                continue;
            }
            if (found == 16 && i == 0) return false;
            const std::uint8_t value = found == 16 ? lengths[i - 1] : std::uint8_t{0};
            const std::size_t times = found == 16 ? 3 + take(2) : found == 17 ? 3 + take(3) : 11 + take(7);
            if (m_short || i + times > literals + distances) return false;
            std::fill_n(lengths.begin() + static_cast<std::ptrdiff_t>(i), times, value);
            i += times;
        }
        return lengths[k_end] != 0 && m_literals.set(lengths.data(), literals) &&
               m_distances.set(lengths.data() + literals, distances) && codes();
    }

    bool codes() {
        for (;;) {
            const int found = symbol(m_literals);
            if (found == k_bad || found > 285) return false;
            if (found == static_cast<int>(k_end)) return true;
            if (found < static_cast<int>(k_end)) {
                if (m_done == m_size) return false;
                m_out[m_done++] = static_cast<char>(found);
            } else if (!copy(static_cast<std::size_t>(found) - 257)) {
                return false;
            }
        }
    }

    bool copy(std::size_t code) {
        const std::size_t length = k_length[code] + take(k_length_bits[code]);
        const int found = symbol(m_distances);
        if (found == k_bad || found > 29) return false;
        const unsigned more = found < 4 ? 0 : static_cast<unsigned>(found) / 2 - 1;
        const std::size_t distance = k_distance[found] + take(more);
        if (m_short || distance > m_done || length > m_size - m_done) return false;
        char* to = m_out.data() + m_done;
        // It may overlap: "aaaa" is one byte and a copy of it.
        if (distance >= length)
            std::memcpy(to, to - distance, length);
        else
            for (std::size_t i = 0; i < length; ++i) to[i] = to[i - distance];
        m_done += length;
        return true;
    }

    const Source& m_source;
    const std::uint64_t m_size;
    std::string m_out, m_chunk;
    std::size_t m_done = 0, m_at = 0;
    std::uint64_t m_offset = 0, m_bits = 0;
    unsigned m_bit_count = 0;
    bool m_short = false;
    Code m_literals, m_distances;
};

}  // namespace

Result<std::string> inflate(const Source& packed, std::uint64_t size) {
    // No stream expands more; a wrong size must not use up memory.
    if (size / 1032 > packed.size) return Trouble{"deflate", "says a size that it cannot have", ""};
    Inflater inflater(packed, size);
    if (!inflater.run()) return Trouble{"deflate", "is damaged", ""};
    return inflater.take_out();
}

}  // namespace ptxguard
