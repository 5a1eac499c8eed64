// SPDX-License-Identifier: Apache-2.0
#include "host/pass_through.hpp"

#include <algorithm>

namespace ptxguard::own {

void KeptOutput::add(const char* bytes, std::size_t size) {
    m_total += size;
    const std::size_t of_head = std::min(size, k_head - m_head.size());
    m_head.append(bytes, of_head);
    bytes += of_head;
    size -= of_head;
    if (size >= k_tail) {
        m_tail.assign(bytes + size - k_tail, k_tail);
        m_at = 0;
        return;
    }
    const std::size_t fresh = std::min(size, k_tail - m_tail.size());
    m_tail.append(bytes, fresh);
    for (bytes += fresh, size -= fresh; size > 0;) {
        const std::size_t part = std::min(size, k_tail - m_at);
        m_tail.replace(m_at, part, bytes, part);
        m_at = (m_at + part) % k_tail;
        bytes += part;
        size -= part;
    }
}

std::string KeptOutput::text() const {
    const std::size_t lost = m_total - m_head.size() - m_tail.size();
    const std::string gap = lost ? "\n(" + std::to_string(lost) + " bytes are left out)\n" : "";
    return m_head + gap + m_tail.substr(m_at) + m_tail.substr(0, m_at);
}

}  // namespace ptxguard::own
