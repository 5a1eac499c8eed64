// SPDX-License-Identifier: Apache-2.0
#include "model/say.hpp"

namespace ptxguard {

std::string filled(std::string_view pattern, std::initializer_list<std::string_view> values) {
    std::string sentence;
    std::size_t at = 0;
    for (const std::string_view value : values) {
        const std::size_t place = pattern.find("{}", at);
        sentence.append(pattern.substr(at, place - at)).append(value);
        at = place + 2;
    }
    return sentence.append(pattern.substr(at));
}

}  // namespace ptxguard
