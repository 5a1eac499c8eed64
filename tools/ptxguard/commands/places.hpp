// What a complete CMake project contains: the places that list architectures (target properties, variables,
// flags), and the CUDA sources that it does not compile.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <set>
#include <string>
#include <vector>

#include "ask/asker.hpp"
#include "commands/settings.hpp"
#include "facts/facts.hpp"
#include "host/host.hpp"
#include "model/result.hpp"
#include "model/scenario.hpp"

namespace ptxguard {

// Whether the command line contains places or dropped sources.
bool names_places(const Settings& settings);

// The rules that it runs: the rest of the machine was checked before.
std::set<std::string> rules_of_places();

// One scenario for each place, so that each finding has its place; only `base` if there is none.
std::vector<Scenario> look_at_places(const Asker& ask, const Facts& facts, const Settings& settings,
                                     Request request, Scenario base);

// Folders in options and configuration: a missing one is wrong usage, for every option.

// Places on this machine: --root, --facts.
std::optional<Trouble> check_own_places(const Settings& settings);
// The others, in the checked system.
std::optional<Trouble> check_places(const Host& host, const Settings& settings);

}  // namespace ptxguard
