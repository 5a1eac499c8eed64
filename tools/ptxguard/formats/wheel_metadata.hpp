// METADATA of a wheel: name, version and requirements.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "model/system.hpp"
#include "model/version.hpp"
#include "python/requirement.hpp"

namespace ptxguard {

struct WheelRequirement : Requirement {
    int line = 0;

    // Applies without an extra, or (if one is given) also in that extra. What the system does not decide
    // (the Python, the machine) counts as fulfilled.
    bool applies(System system, std::string_view extra = {}) const;
};

struct WheelMetadata {
    std::string name, version;
    int version_line = 0;
    std::vector<WheelRequirement> requirements;
};

// The header part (up to the first empty line). Nothing if Name or Version is missing.
std::optional<WheelMetadata> read_wheel_metadata(std::string_view text);

}  // namespace ptxguard
