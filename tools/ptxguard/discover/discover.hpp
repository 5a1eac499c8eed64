// Fills the toolkits, selectors, picks, drivers and GPUs of a Scenario from a machine (or an unpacked image).
// Programs are only run for their version; nothing is compiled.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "ask/questions.hpp"
#include "facts/facts.hpp"
#include "host/host.hpp"
#include "model/request.hpp"
#include "model/scenario.hpp"

namespace ptxguard {

// All steps of discover/toolkits.hpp. Needs scenario.python.
void discover_toolkits(const Asker& ask, const Facts& facts, const Request& request, Scenario& scenario);

// Drivers and GPUs, declared and found. Adds the questions to nvidia-smi and libcuda.
void find_drivers(const Facts& facts, const Request& request, Questions& questions, Scenario& scenario);
// Adds what a driver did not answer, from its files.
void complete_drivers(const Host& host, Scenario& scenario);
// After the driver was asked: the GPUs of the PCI bus, if it named none.
void find_gpus_on_bus(const Host& host, const Facts& facts, Scenario& scenario);
// All of it.
void discover_drivers(const Asker& ask, const Facts& facts, const Request& request, Scenario& scenario);

// Sets Project::wanted, and by which file: false if no build is requested and a toolkit is only installed
// beside frameworks that run without it. Call it after toolkits and frameworks have been found.
void decide_intent(const Host& host, const Facts& facts, const Request& request, Scenario& scenario);
// Only what the user named; does not read the machine.
void declare_drivers_and_gpus(const Host& host, const Facts& facts, const Request& request,
                              Scenario& scenario);

}  // namespace ptxguard
