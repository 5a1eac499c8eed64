// What the program reports about itself: version, tables, known GPUs. Inner header of the room.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "commands/settings.hpp"

namespace ptxguard {

extern const char* const k_exit_codes;
const char* program_version();  // "0.1.0"
// With the range of each table, and the newest date of its sources.
std::string version_text();
int list_gpus(const Settings& settings);  // --list-gpus

}  // namespace ptxguard
