// Fills the toolkits, selectors, picks, drivers and GPUs of a Scenario from a machine (or an unpacked image).
// Programs are only asked for their version; nothing is compiled.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "ask/asker.hpp"
#include "facts/facts.hpp"
#include "host/host.hpp"
#include "model/request.hpp"
#include "model/scenario.hpp"

namespace ptxguard {

// Needs scenario.python. Toolkits, selectors, environment entries, picks, host compiler, the build's toolkit;
// the project's architectures.
void discover_toolkits(const Asker& ask, const Facts& facts, const Request& request, Scenario& scenario);
// Drivers and GPUs: found and declared.
void discover_drivers(const Asker& ask, const Facts& facts, const Request& request, Scenario& scenario);
// Project::wanted: does somebody ask for a build, or does a toolkit merely lie here beside frameworks that
// run without it? Toolkits and frameworks have been found.
void decide_intent(const Host& host, const Facts& facts, const Request& request, Scenario& scenario);
// Only what the user named; the machine is not looked at.
void declare_drivers_and_gpus(const Host& host, const Facts& facts, const Request& request,
                              Scenario& scenario);

}  // namespace ptxguard
