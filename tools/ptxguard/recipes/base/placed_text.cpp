// SPDX-License-Identifier: Apache-2.0
#include "recipes/base/placed_text.hpp"

#include <algorithm>

namespace ptxguard::recipes {

void PlacedText::append(std::string_view more, Place at) {
    m_marks.push_back({text.size(), at});
    for (std::size_t i = more.find('\n'); i != std::string_view::npos; i = more.find('\n', i + 1)) {
        at = {at.line + 1, 1};
        m_marks.push_back({text.size() + i + 1, at});
    }
    text += more;
}

Place PlacedText::place(std::size_t offset) const {
    auto after = std::upper_bound(m_marks.begin(), m_marks.end(), offset,
                                  [](std::size_t o, const Mark& mark) { return o < mark.offset; });
    if (after == m_marks.begin()) return {};
    const Mark& mark = *--after;
    return {mark.at.line, mark.at.column + static_cast<int>(offset - mark.offset)};
}

Written PlacedText::written(std::size_t offset, std::string value) const {
    const Place at = place(offset);
    Written one;
    one.text = std::move(value);
    one.file = file;
    one.line = at.line;
    one.column = at.column;
    return one;
}

PlacedText PlacedText::part(std::size_t begin, std::size_t end) const {
    PlacedText result(file);
    result.m_marks.push_back({0, place(begin)});
    auto mark = std::upper_bound(m_marks.begin(), m_marks.end(), begin,
                                 [](std::size_t o, const Mark& one) { return o < one.offset; });
    for (; mark != m_marks.end() && mark->offset < end; ++mark)
        result.m_marks.push_back({mark->offset - begin, mark->at});
    result.text = text.substr(begin, end - begin);
    return result;
}

}  // namespace ptxguard::recipes
