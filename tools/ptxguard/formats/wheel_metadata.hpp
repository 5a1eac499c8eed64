// METADATA of a wheel: name, version and requirements.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "model/scenario.hpp"
#include "model/version.hpp"

namespace ptxguard {

struct Requirement {
    std::string package;    // canonical: lower case, '-' for '_' and '.'
    std::string extras;     // "cublas,cudart"
    std::string specifier;  // "==13.0.2", "<14,>=13.0.3"
    std::string marker;     // after ';'
    int line = 0;

    // The version after "==" if that is the whole specifier ("==12.4.127", "==13.0.85.*").
    std::optional<Version> pinned() const;
    // Applies without an extra, or (if one is given) also in that extra.
    bool applies(System system, std::string_view extra = {}) const;
};

struct WheelMetadata {
    std::string name, version;
    int version_line = 0;
    std::vector<Requirement> requirements;
};

std::string canonical_package(std::string_view name);
Requirement parse_requirement(std::string_view text, int line = 0);
// The header part (up to the first empty line). Nothing if Name or Version is missing.
std::optional<WheelMetadata> read_wheel_metadata(std::string_view text);

}  // namespace ptxguard
