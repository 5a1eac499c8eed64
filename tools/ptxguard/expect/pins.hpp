// What an installed framework's record requires exactly (==), and which of it is installed in another
// release.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "expect/expect.hpp"
#include "packages/wheels.hpp"

namespace ptxguard {

// 12.5.1.3 satisfies ==12.5.1.3 and ==12.5.1.*
bool begins_as(const Version& version, const Version& pin);
// The exact requirements on NVIDIA's packages and on Triton, those of an extra included if one is given.
void add_pins(const InstalledWheel& wheel, System system, const std::string& extra,
              std::vector<WheelRequirement>& pins);
// Those of the package with these extras ("" = always required), and those of the cuda-toolkit package behind
// them.
std::vector<WheelRequirement> pins_of(const Host& host, const std::string& site, const std::string& package,
                                      const std::vector<std::string>& extras);
// Fills unmet_pins: pip warns about such a package when it installs it, and nobody checks it again.
void find_unmet_pins(const Host& host, Expectation& expectation);

}  // namespace ptxguard
