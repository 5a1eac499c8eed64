// Folders in options and configuration: a missing one is wrong usage, for every option.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>

#include "commands/settings.hpp"
#include "host/host.hpp"
#include "model/result.hpp"

namespace ptxguard {

// Places on this machine: --root, --facts.
std::optional<Trouble> check_own_places(const Settings& settings);
// The others, in the checked system.
std::optional<Trouble> check_places(const Host& host, const Settings& settings);

}  // namespace ptxguard
