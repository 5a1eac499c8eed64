// SPDX-License-Identifier: Apache-2.0
#include "messages/anchors.hpp"
#include "model/ranges.hpp"

#include <algorithm>
#include <map>

namespace ptxguard {

Anchors::Anchors(const std::vector<std::uint64_t>& anchors)
    : m_known((1u << k_bits) / 64), m_first(k_few + 2) {
    std::vector<std::pair<std::uint32_t, Part>> parts;
    std::map<std::uint64_t, std::vector<std::uint32_t>> patterns;
    for (std::size_t i = 0; i < anchors.size(); ++i)
        patterns[anchors[i]].push_back(static_cast<std::uint32_t>(i));
    for (const auto& [anchor, of_anchor] : patterns) {
        const auto from = static_cast<std::uint32_t>(m_patterns.size());
        append(m_patterns, of_anchor);
        const auto to = static_cast<std::uint32_t>(m_patterns.size());
        char eight[k_anchor];
        std::memcpy(eight, &anchor, sizeof eight);
        for (std::size_t offset = 0; offset + k_part <= k_anchor; ++offset) {
            const std::uint32_t hash = hash_of(eight + offset);
            m_known[hash >> 6] |= std::uint64_t{1} << (hash & 63);
            parts.push_back({hash & k_few, {anchor, from, to, static_cast<std::uint8_t>(offset)}});
        }
    }
    std::stable_sort(parts.begin(), parts.end(),
                     [](const auto& a, const auto& b) { return a.first < b.first; });
    for (const auto& [bucket, part] : parts) {
        ++m_first[bucket + 1];
        m_parts.push_back(part);
    }
    for (std::size_t i = 1; i < m_first.size(); ++i) m_first[i] += m_first[i - 1];
}

}  // namespace ptxguard
