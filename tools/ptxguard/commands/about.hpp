// What the program says of itself: version, tables, GPUs that it knows. Inner header of the room.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "commands/settings.hpp"

namespace ptxguard {

extern const char* const k_exit_codes;
const char* program_version();  // "0.1.0"
// With how far each table reaches, and the newest date that its sources name.
std::string version_text();
int list_gpus(const Settings& settings);  // --list-gpus

}  // namespace ptxguard
