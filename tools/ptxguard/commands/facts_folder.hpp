// The tables of this run: the built-in ones, or those with --facts DIR laid over them.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "commands/settings.hpp"
#include "facts/facts.hpp"

namespace ptxguard {

Result<Facts> facts_for(const Settings& settings);

}  // namespace ptxguard
