// Small reads side by side become one: tables whose length only their own links tell are followed through a
// window on the source. Inner header of the room.
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

    // `length` bytes from `offset` on, good until the next call; null where the source does not hold them
    // all.
    const char* at(std::uint64_t offset, std::size_t length);
    // The text from `offset` to its zero byte, which lies within `limit` bytes; nothing where there is none.
    std::optional<std::string> text(std::uint64_t offset, std::size_t limit);

private:
    const Source& m_source;
    std::size_t m_reach;
    std::string m_bytes;
    std::uint64_t m_begin = 0;
};

}  // namespace ptxguard
