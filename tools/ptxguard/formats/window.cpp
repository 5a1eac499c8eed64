// One movable buffer; its content ends where the source's data ends.
// SPDX-License-Identifier: Apache-2.0
#include "formats/window.hpp"

#include <algorithm>
#include <cstring>

namespace ptxguard {

const char* Window::at(std::uint64_t offset, std::size_t length) {
    const auto held = [&] {
        return offset >= m_begin && offset - m_begin <= m_bytes.size() &&
               length <= m_bytes.size() - static_cast<std::size_t>(offset - m_begin);
    };
    if (!held()) {
        m_bytes = read_bytes(m_source, offset, std::max(length, m_reach));
        m_begin = offset;
        if (!held()) return nullptr;
    }
    return m_bytes.data() + (offset - m_begin);
}

std::optional<std::string> Window::text(std::uint64_t offset, std::size_t limit) {
    if (offset >= m_source.size) return std::nullopt;
    const std::uint64_t left = m_source.size - offset;
    for (std::size_t length = 64; length > 0; length *= 4) {
        length = static_cast<std::size_t>(std::min<std::uint64_t>({length, limit, left}));
        const char* bytes = at(offset, length);
        if (!bytes) return std::nullopt;
        if (const void* end = std::memchr(bytes, '\0', length))
            return std::string(bytes, static_cast<const char*>(end));
        if (length == limit || length == left) break;
    }
    return std::nullopt;
}

}  // namespace ptxguard
