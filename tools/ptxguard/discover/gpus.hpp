// GPUs that the user names.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "facts/facts.hpp"
#include "model/request.hpp"
#include "model/scenario.hpp"

namespace ptxguard {

void declare_gpus(const Facts& facts, const Request& request, Scenario& scenario);

}  // namespace ptxguard
