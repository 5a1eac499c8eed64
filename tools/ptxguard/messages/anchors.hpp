// Finds the anchors of all patterns in one pass: of every fifth place in the text, four bytes are looked up
// in a small table. An anchor has eight bytes, so one of its five parts is at such a place.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <cstring>
#include <string_view>
#include <vector>

namespace ptxguard {

class Anchors {
public:
    // The anchors of patterns 0, 1 ...
    explicit Anchors(const std::vector<std::uint64_t>& anchors);

    // Calls found(pattern, offset) for each anchor that begins in [from, to). Reads no further than `text`.
    template <typename Found>
    void find(std::string_view text, std::size_t from, std::size_t to, const Found& found) const {
        const std::size_t end = to + k_stride < text.size() ? to + k_stride : text.size();
        const std::uint64_t* const known = m_known.data();
        const char* const bytes = text.data();
        for (std::size_t at = from; at + k_part <= end; at += k_stride) {
            const std::uint32_t hash = hash_of(bytes + at);
            if ((known[hash >> 6] >> (hash & 63) & 1) != 0) look_closer(text, hash, at, from, to, found);
        }
    }

private:
    static constexpr std::size_t k_stride = 5, k_part = 4, k_anchor = 8;
    static constexpr int k_bits = 17;

    struct Part {
        std::uint64_t anchor;
        std::uint32_t from, to;  // in m_patterns: the patterns with this anchor
        std::uint8_t offset;     // of the part in its anchor
    };

    static std::uint32_t hash_of(const char* four) {
        std::uint32_t bytes = 0;
        std::memcpy(&bytes, four, sizeof bytes);
        return ((bytes | 0x20202020u) * 2654435761u) >> (32 - k_bits);
    }

    template <typename Found>
    void look_closer(std::string_view text, std::uint32_t hash, std::size_t at, std::size_t from,
                     std::size_t to, const Found& found) const {
        const Part* const last = m_parts.data() + m_first[(hash & k_few) + 1];
        for (const Part* part = m_parts.data() + m_first[hash & k_few]; part != last; ++part) {
            const std::size_t begin = at - part->offset;
            if (at < from + part->offset || begin >= to || begin + k_anchor > text.size()) continue;
            std::uint64_t eight = 0;
            std::memcpy(&eight, text.data() + begin, sizeof eight);
            if ((eight | 0x2020202020202020u) != part->anchor) continue;
            for (std::uint32_t i = part->from; i < part->to; ++i) found(m_patterns[i], begin);
        }
    }

    static constexpr std::uint32_t k_few = (1u << 14) - 1;
    std::vector<std::uint64_t> m_known;  // a bit per hash
    std::vector<std::uint32_t> m_first;  // by the low bits of the hash: its first part
    std::vector<Part> m_parts;
    std::vector<std::uint32_t> m_patterns;
};

}  // namespace ptxguard
