// What the program reports about itself: version, tables, known GPUs. Inner header of the room.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "commands/settings.hpp"

namespace ptxguard {

// One a row, with the reason.
struct ExitCodeWords {
    int code;
    const char* meaning;
};
extern const ExitCodeWords k_exit_codes[4];
std::string exit_codes_text(std::size_t width);
const char* program_version();  // "0.1.0"
// With the range of each table, and the newest date of its sources.
std::string version_text();
int list_gpus(const Settings& settings);  // --list-gpus

}  // namespace ptxguard
