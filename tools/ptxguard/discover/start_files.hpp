// Where an environment variable was probably set: start files of shells, loaded module files, scripts of
// environments.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>

#include "host/host.hpp"
#include "model/finding.hpp"

namespace ptxguard {

// The line that contains `variable` followed by `value`: its whole value or one entry of it. If a file has
// several, the last, which is effective; nothing if no line was found (another program set it), and on
// Windows.
std::optional<Location> where_set(const Host& host, const std::string& variable, const std::string& value);

}  // namespace ptxguard
