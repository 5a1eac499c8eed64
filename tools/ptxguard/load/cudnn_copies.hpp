// Copies of cuDNN on a machine: in the system's folders, in toolkits, in wheels, in conda's prefix, where
// NVIDIA's Windows installer puts them, on the search paths, and wherever a trace resolves one. Reads files
// only.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "facts/facts.hpp"
#include "host/host.hpp"
#include "model/scenario.hpp"

namespace ptxguard {

// Fills scenario.cudnns from its Python, toolkits, expectations and traces.
void find_cudnn_copies(const Host& host, const Facts& facts, Scenario& scenario);

}  // namespace ptxguard
