// --constraints: what pip and uv need to be told so that later installs keep the frameworks.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "commands/settings.hpp"
#include "facts/facts.hpp"
#include "host/host.hpp"
#include "model/scenario.hpp"

namespace ptxguard {

// "torch==2.5.1+cu121": the frameworks that pip installed, what is built against them, and what these pin or
// require of NVIDIA, as installed. Sorted; empty if pip installed none.
std::vector<std::string> installed_constraints(const Host& host, const Scenario& scenario);

// A build that is to be installed, what its release pins, and the bounds for the GPUs.
std::vector<std::string> planned_constraints(const Step& build, const Scenario& machine, const Facts& facts);

// Writes the file of --constraints, if that is given and nothing is wrong; returns the exit status, which is
// `code` if it can be written. An exit status of 0 does not say that nothing is wrong: see --fail-on and the
// formats for code scanning.
int write_constraints(const Settings& settings, const std::vector<std::string>& lines, bool wrong, int code);

}  // namespace ptxguard
