// Joins a log with what `check` finds on a machine: which of its faults explains a cause, and where the
// machine differs from the one that wrote the log.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "diagnose/diagnose.hpp"
#include "facts/facts.hpp"
#include "model/scenario.hpp"

namespace ptxguard {

void join_here(const Scenario& log, const std::vector<Scenario>& here, const std::vector<Finding>& findings,
               const Facts& facts, Diagnosed& diagnosed);

}  // namespace ptxguard
