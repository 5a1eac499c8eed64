// Search path entries that look like CUDA and do not exist, and variables whose name is similar to one that
// matters.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "host/host.hpp"
#include "model/scenario.hpp"

namespace ptxguard {

void read_environment(const Host& host, Scenario& scenario);

}  // namespace ptxguard
