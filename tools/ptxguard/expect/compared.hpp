// Installed packages that compare their releases when they are imported.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "facts/facts.hpp"
#include "host/host.hpp"
#include "model/scenario.hpp"

namespace ptxguard {

// Those of scenario.python, by their records.
void find_compared_packages(const Host& host, const Facts& facts, Scenario& scenario);
// Fills python.driver_bound: the installed packages that facts/known_bad.json names for a driver.
void find_driver_bound_packages(const Host& host, const Facts& facts, Scenario& scenario);

}  // namespace ptxguard
