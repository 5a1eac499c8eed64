// Installed packages whose records require another release of what they are built against, or its build for
// another CUDA.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "facts/facts.hpp"
#include "host/host.hpp"
#include "model/scenario.hpp"

namespace ptxguard {

// Of scenario.python, by the records. Not those of NVIDIA's packages, which frameworks require (pins.hpp).
void find_unmet_requirements(const Host& host, const Facts& facts, Scenario& scenario);

}  // namespace ptxguard
