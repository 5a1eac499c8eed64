// SPDX-License-Identifier: Apache-2.0
#include "recipes/ci/joined_script.hpp"

#include <algorithm>

#include "recipes/shell/shell_syntax.hpp"

namespace ptxguard::recipes {
namespace {

constexpr std::size_t k_most_joined = 200;  // lines of one `if`

}  // namespace

std::optional<PlacedText> joined_from(std::size_t& first, const std::vector<PlacedText>& texts) {
    PlacedText all(texts[first].file);
    for (std::size_t i = first; i < std::min(texts.size(), first + k_most_joined); ++i) {
        const PlacedText& one = texts[i];
        if (one.file != all.file) return std::nullopt;
        for (std::size_t begin = 0; begin < one.text.size();) {
            const std::size_t end = std::min(one.text.find('\n', begin), one.text.size() - 1) + 1;
            all.append(one.text.substr(begin, end - begin), one.place(begin));
            begin = end;
        }
        all.append("\n", one.place(one.text.size()));
        if (!parse_shell(all.text).problem.empty()) continue;
        first = i;
        return all;
    }
    return std::nullopt;
}

}  // namespace ptxguard::recipes
