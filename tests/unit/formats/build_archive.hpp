// Members of ar archives made by code.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

namespace built {

// The header, and the content unless it lies outside (thin archives), padded to an even length.
inline std::string member(const std::string& name, const std::string& content, bool outside = false) {
    const auto field = [](std::string text, std::size_t width) {
        text.resize(width, ' ');
        return text;
    };
    const std::string head = field(name, 16) + field("0", 12) + field("0", 6) + field("0", 6) +
                             field("644", 8) + field(std::to_string(content.size()), 10) + "`\n";
    if (outside) return head;
    return head + content + (content.size() % 2 == 1 ? "\n" : "");
}

}  // namespace built
