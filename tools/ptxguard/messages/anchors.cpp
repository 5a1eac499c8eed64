// SPDX-License-Identifier: Apache-2.0
#include "messages/anchors.hpp"

#include <algorithm>

namespace ptxguard {

Anchors::Anchors(const std::vector<std::uint64_t>& anchors)
    : m_known((1u << k_bits) / 64), m_first(k_few + 2) {
    std::vector<std::pair<std::uint32_t, Part>> parts;
    for (std::size_t i = 0; i < anchors.size(); ++i) {
        char eight[k_anchor];
        std::memcpy(eight, &anchors[i], sizeof eight);
        for (std::size_t offset = 0; offset + k_part <= k_anchor; ++offset) {
            const std::uint32_t hash = hash_of(eight + offset);
            m_known[hash >> 6] |= std::uint64_t{1} << (hash & 63);
            parts.push_back({hash & k_few,
                             {anchors[i], static_cast<std::uint32_t>(i), static_cast<std::uint8_t>(offset)}});
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
