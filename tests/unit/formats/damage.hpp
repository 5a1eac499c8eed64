// Damages a good file in every way that a header can be wrong, and calls a reader on each. The reader must
// return; the caller checks the result.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <string>

#include "build_elf.hpp"
#include "model/source.hpp"

namespace built {

using ptxguard::Source;

inline void cut_at_every_byte(const std::string& good, const std::function<void(const std::string&)>& ask) {
    for (std::size_t size = 0; size < good.size(); ++size) ask(good.substr(0, size));
}

// Every 2, 4 and 8 bytes from `begin`, set to 0, 1, the largest value and some that overflow when added.
inline void poke_every_field(const std::string& good, std::size_t begin, std::size_t end,
                             const std::function<void(const std::string&)>& ask) {
    for (const std::size_t width : {2, 4, 8}) {
        const std::uint64_t max = width == 8 ? UINT64_MAX : (std::uint64_t{1} << (8 * width)) - 1;
        for (std::size_t at = begin; at + width <= end; at += 2) {
            for (const std::uint64_t value :
                 {std::uint64_t{0}, std::uint64_t{1}, max, max - 15, max / 2 + 1, max / 2,
                  static_cast<std::uint64_t>(good.size()), static_cast<std::uint64_t>(at)}) {
                std::string bad = good;
                put(bad, at, value, width);
                ask(bad);
            }
        }
    }
}

// A file that is truncated to `left` bytes while it is read, after `reads` reads.
inline Source shrinking(const std::string& bytes, std::size_t reads, std::size_t left) {
    Source whole = ptxguard::source_of(bytes);
    auto read = whole.read;
    whole.read = [read, reads, left](std::uint64_t offset, char* to,
                                     std::size_t length) mutable -> std::size_t {
        if (reads > 0) {
            --reads;
            return read(offset, to, length);
        }
        if (offset >= left) return 0;
        return read(offset, to, length < left - offset ? length : static_cast<std::size_t>(left - offset));
    };
    return whole;
}

}  // namespace built
