// SPDX-License-Identifier: Apache-2.0
#include "recipes/template_text.hpp"

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

}  // namespace ptxguard::recipes
