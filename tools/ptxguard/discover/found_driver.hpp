// The driver of this machine, from every place that tells of it.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "host/host.hpp"
#include "model/scenario.hpp"

namespace ptxguard {

// Adds at most one driver and the GPUs that it shows. Nothing where nothing of a driver is there.
void find_driver(const Host& host, Scenario& scenario);

}  // namespace ptxguard
