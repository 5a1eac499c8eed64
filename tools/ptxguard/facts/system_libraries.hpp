// Libraries of the system, not of NVIDIA, that Python modules need: facts/system_libraries.json.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "facts/facts.hpp"

namespace ptxguard {

struct SystemLibrary {
    std::string name;                // "FFmpeg"
    std::vector<std::string> files;  // starts of their names: "libavutil.so."
    std::string apt, conda;          // packages of Debian and of conda-forge
    Origin origin;
};

// Null: no row has a file of that name.
const SystemLibrary* system_library(const Facts& facts, const std::string& file);

}  // namespace ptxguard
