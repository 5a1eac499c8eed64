// The architectures that the project is built for.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "facts/facts.hpp"
#include "host/host.hpp"
#include "model/request.hpp"
#include "model/scenario.hpp"

namespace ptxguard {

void read_project(const Host& host, const Request& request, Scenario& scenario);
// Resolves `all`, `native` and the like, as far as tables and known GPUs allow; the probe runs nvcc later.
void resolve_project_words(const Facts& facts, Scenario& scenario);

}  // namespace ptxguard
