// SPDX-License-Identifier: Apache-2.0
#include "load/system_versions.hpp"

#include <algorithm>
#include <optional>

#include "model/text.hpp"
#include "model/version.hpp"

namespace ptxguard {

bool is_newer_version(const std::string& needed, const std::vector<std::string>& defined) {
    for (const std::string start : {"GLIBC_", "GLIBCXX_", "CXXABI_", "GCC_"}) {
        if (!starts_with(needed, start)) continue;
        const auto wanted = parse_version(needed.substr(start.size()));
        std::optional<Version> newest;
        for (const std::string& one : defined) {
            const auto version =
                starts_with(one, start) ? parse_version(one.substr(start.size())) : std::optional<Version>();
            if (version && (!newest || *newest < *version)) newest = version;
        }
        return wanted && newest && *newest < *wanted;
    }
    return false;
}

}  // namespace ptxguard
