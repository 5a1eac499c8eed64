// The newest PTX that a ptxas accepts: its refusal of an absurd version contains it.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "ask/asker.hpp"
#include "model/probe.hpp"

namespace ptxguard {

// One result per program: `accepts_up_to`, or how it failed.
std::vector<ProbeResult> ptxas_limits(const Asker& ask, const std::vector<std::string>& programs,
                                      std::chrono::milliseconds limit);

}  // namespace ptxguard
