// The driver of this machine, from every place that shows it.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "ask/asker.hpp"
#include "model/scenario.hpp"

namespace ptxguard {

// Adds at most one driver and its GPUs. Nothing if there is no trace of a driver.
void find_driver(const Asker& ask, Scenario& scenario);

}  // namespace ptxguard
