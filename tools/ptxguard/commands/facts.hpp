// Shared by the two modes of `ptxguard facts`. Inner header of the room.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "commands/settings.hpp"
#include "facts/facts.hpp"
#include "model/json.hpp"
#include "model/judgement.hpp"

namespace ptxguard {

// The envelope of every command with one more member, or the text. Written to --output; returns the exit
// code.
int deliver_facts(const Settings& settings, Verdict verdict, const char* member, const Json& payload,
                  const std::string& text, int exit_code);
int verify_facts(const Settings& settings, const Facts& facts);

// The tables of this run: the built-in ones, overridden by those in --facts DIR.

Result<Facts> facts_for(const Settings& settings);
// Whether tables could not be read; each is reported on stderr.
bool has_unread_tables(const Facts& facts);

}  // namespace ptxguard
