// The operating system of a checked machine, image or log.
// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace ptxguard {

enum class System { linux_, windows };
const char* to_string(System system);  // "linux", "windows"

}  // namespace ptxguard
