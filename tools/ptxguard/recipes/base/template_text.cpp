// SPDX-License-Identifier: Apache-2.0
#include "recipes/base/template_text.hpp"

#include <algorithm>

#include "model/text.hpp"

namespace ptxguard::recipes {

std::string filled(std::string_view text, std::string_view open, const TemplateValue& value,
                   const Written& place, Problems& problems, bool& known) {
    std::string result;
    std::size_t at = 0, grown = 0;
    for (;;) {
        const std::size_t begin = text.find(open, at);
        const std::size_t end = begin == text.npos ? begin : text.find("}}", begin + open.size());
        if (end == text.npos) break;
        result += text.substr(at, begin - at);
        const auto found = value(trimmed(text.substr(begin + open.size(), end - begin - open.size())));
        if (found && !problems.exceeds(k_most_filled, grown += found->size(), place)) {
            result += *found;
        } else {
            result += text.substr(begin, end + 2 - begin);
            known = false;
        }
        at = end + 2;
    }
    return result += text.substr(at);
}

PlacedText filled_lines(
    const Written& whole, std::string_view open, std::string_view close,
    const std::function<std::optional<std::string>(std::string_view, const Written&)>& value,
    const std::function<std::string(std::string_view)>& unknown, Problems& problems) {
    PlacedText result(whole.file);
    int line = whole.line;
    std::size_t grown = 0;
    std::string_view rest = whole.text;
    while (!rest.empty()) {
        const std::size_t end = rest.find('\n');
        const std::string_view text = rest.substr(0, end == rest.npos ? end : end + 1);
        rest.remove_prefix(text.size());
        std::size_t at = 0;
        while (at < text.size()) {
            const std::size_t begin = std::min(text.find(open, at), text.size());
            result.append(text.substr(at, begin - at), {line, whole.column + static_cast<int>(at)});
            if (begin == text.size()) break;
            const std::size_t from = begin + open.size();
            const std::size_t closing = std::min(text.find(close, from), text.size());
            const std::string_view expression = trimmed(text.substr(from, closing - from));
            const Written here{"", whole.file, line};
            auto found = value(expression, here);
            if (found && problems.exceeds(k_most_filled, grown += found->size(), here)) found.reset();
            result.append(found ? *found : unknown(expression),
                          {line, whole.column + static_cast<int>(begin)});
            at = std::min(closing + close.size(), text.size());
        }
        ++line;
    }
    return result;
}

}  // namespace ptxguard::recipes
