// What the loader resolves for the frameworks that `check` found: their CUDA-facing libraries are traced as
// by `deps`.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "facts/facts.hpp"
#include "host/host.hpp"
#include "model/scenario.hpp"

namespace ptxguard {

// One trace for each installed framework of scenario.expectations that uses CUDA, if one of its libraries can
// be read. `host_folder`: of the program that hosts Python; empty = python.exe itself.
void trace_frameworks(const Host& host, const Facts& facts, const std::string& host_folder,
                      Scenario& scenario);

}  // namespace ptxguard
