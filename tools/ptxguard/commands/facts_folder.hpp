// The tables of this run: the built-in ones, overridden by those in --facts DIR.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "commands/settings.hpp"
#include "facts/facts.hpp"

namespace ptxguard {

Result<Facts> facts_for(const Settings& settings);
// Whether tables could not be read; each is reported on stderr.
bool has_unread_tables(const Facts& facts);

}  // namespace ptxguard
