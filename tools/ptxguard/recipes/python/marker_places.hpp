// The places in which markers hold: the usual ones, and the names of the others.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "python/marker.hpp"

namespace ptxguard::recipes {

// "macOS", "Linux on ARM"; empty for Linux on x86-64, and for a machine that is not known.
std::string unusual_platform(const MarkerEnvironment& markers);
// The first of the usual places in which a requirement with this marker is installed.
MarkerEnvironment usual_place(const std::string& marker);

}  // namespace ptxguard::recipes
