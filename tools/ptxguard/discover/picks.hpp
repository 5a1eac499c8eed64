// What can install another toolkit on this machine: the commands of fixes are made for it.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "host/host.hpp"
#include "model/scenario.hpp"

namespace ptxguard {

// Needs scenario.python.
void find_installers(const Host& host, Scenario& scenario);

}  // namespace ptxguard
