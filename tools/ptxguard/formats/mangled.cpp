// SPDX-License-Identifier: Apache-2.0
#include "formats/mangled.hpp"

#include "model/text.hpp"

namespace ptxguard {

std::string_view mangled_scope(std::string_view name) {
    if (!starts_with(name, "_Z")) return {};
    name.remove_prefix(2);
    // vtable, VTT, typeinfo and its name; guard variable; local of a function.
    for (const char* prefix : {"TV", "TT", "TI", "TS", "GV", "Z"})
        if (starts_with(name, prefix)) {
            name.remove_prefix(std::string_view(prefix).size());
            break;
        }
    if (!starts_with(name, "N")) return {};
    name.remove_prefix(1);
    while (!name.empty() && (name[0] == 'K' || name[0] == 'V' || name[0] == 'r')) name.remove_prefix(1);
    std::size_t length = 0, digits = 0;
    for (; digits < name.size() && digits < 4 && name[digits] >= '0' && name[digits] <= '9'; ++digits)
        length = length * 10 + static_cast<std::size_t>(name[digits] - '0');
    name.remove_prefix(digits);
    return length <= name.size() ? name.substr(0, length) : std::string_view();
}

}  // namespace ptxguard
