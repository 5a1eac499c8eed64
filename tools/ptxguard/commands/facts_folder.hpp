// The tables of this run: the built-in ones, overridden by those in --facts DIR.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "commands/settings.hpp"
#include "facts/facts.hpp"

namespace ptxguard {

Result<Facts> facts_for(const Settings& settings);

}  // namespace ptxguard
