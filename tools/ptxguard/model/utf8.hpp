// One character of UTF-8 text.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace ptxguard {

struct Letter {
    std::uint32_t code = 0;
    std::size_t bytes = 0;  // 0: not UTF-8
};

// At text[at], which exists.
Letter letter_at(std::string_view text, std::size_t at);
void add_utf8(std::string& text, std::uint32_t code);

}  // namespace ptxguard
