// Bytes as a reader gets them: complete, and as a file that is truncated while it is read.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <string_view>

#include "model/source.hpp"

// Runs twice. How many reads pass before the cut, and what is left then, depends only on the length of the
// bytes, so that a crash is reproducible.
inline void ask_whole_and_shrinking(const std::uint8_t* data, std::size_t size,
                                    const std::function<void(const ptxguard::Source&)>& ask) {
    const std::string_view bytes(reinterpret_cast<const char*>(data), size);
    const ptxguard::Source whole = ptxguard::source_of(bytes);
    ask(whole);
    std::size_t reads = size % 11, left = size / 3;
    ptxguard::Source shrinking = whole;
    shrinking.read = [&](std::uint64_t offset, char* to, std::size_t length) -> std::size_t {
        if (reads > 0) return --reads, whole.read(offset, to, length);
        if (offset >= left) return 0;
        return whole.read(offset, to,
                          length < left - offset ? length : static_cast<std::size_t>(left - offset));
    };
    ask(shrinking);
}

inline volatile unsigned g_seen = 0;
// Reads every byte of a text, so that a sanitizer finds one that is out of bounds.
inline void look_at(std::string_view text) {
    unsigned sum = 0;
    for (const char letter : text) sum += static_cast<unsigned char>(letter);
    g_seen = sum;
}
