// Combines small adjacent reads: tables of unknown length are followed through a window on the source. Inner
// header of the room.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "model/source.hpp"

namespace ptxguard {

class Window {
public:
    explicit Window(const Source& source, std::size_t reach = 4096) : m_source(source), m_reach(reach) {}

    // `length` bytes from `offset`, valid until the next call; null if the source does not have all of them.
    const char* at(std::uint64_t offset, std::size_t length);
    // The string from `offset` to its zero byte, which is within `limit` bytes; nothing if there is none.
    std::optional<std::string> text(std::uint64_t offset, std::size_t limit);

private:
    const Source& m_source;
    std::size_t m_reach;
    std::string m_bytes;
    std::uint64_t m_begin = 0;
};

}  // namespace ptxguard
