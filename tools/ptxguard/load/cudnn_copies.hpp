// Copies of cuDNN that lie on a machine: in the system's folders, in toolkits, in wheels, in conda's prefix,
// where NVIDIA's Windows installer puts them, on the search paths, and wherever a trace takes one from. Reads
// files only.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "facts/facts.hpp"
#include "host/host.hpp"
#include "model/scenario.hpp"

namespace ptxguard {

// Fills scenario.cudnns. Needs its toolkits, expectations and traces. `sites`: folders of Python's packages,
// whether a framework lies in them or not.
void find_cudnn_copies(const Host& host, const Facts& facts, const std::vector<std::string>& sites,
                       Scenario& scenario);

}  // namespace ptxguard
