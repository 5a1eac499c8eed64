// What the loader gives the frameworks that `check` found: their CUDA-facing libraries are traced as `deps`
// does.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "facts/facts.hpp"
#include "host/host.hpp"
#include "model/scenario.hpp"

namespace ptxguard {

// For each installed framework of scenario.expectations that uses CUDA one trace, where a library of it can
// be read. `host_folder`: of the program that hosts Python; empty = python.exe itself.
void trace_frameworks(const Host& host, const Facts& facts, const std::string& host_folder,
                      Scenario& scenario);

}  // namespace ptxguard
