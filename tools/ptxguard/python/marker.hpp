// Environment markers of PEP 508 ("python_version < '3.12' and sys_platform == 'linux'"), evaluated for a
// environment that is only partly known: what decides nothing is unknown, never a guess.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "model/truth.hpp"

namespace ptxguard {

struct MarkerEnvironment {
    std::string python;               // "3.11"; empty = unknown
    std::string system;               // sys_platform: "linux", "win32", "darwin"; empty = unknown
    std::string machine;              // platform_machine: "x86_64", "aarch64", "AMD64"; empty = unknown
    std::vector<std::string> extras;  // requested extras, canonical
    std::string python_from = {};     // where `python` is unknown: the lowest that is allowed
    bool musl = false;                // Alpine's C library, for which wheels of other Linux systems are not
    std::string glibc = {};           // "2.31": that of Linux; empty = unknown
};

// Values that are not known become those of most users: Linux on x86-64.
MarkerEnvironment usual(MarkerEnvironment environment);

// An empty marker is true; an unreadable one is unknown.
Truth holds(std::string_view marker, const MarkerEnvironment& environment);

}  // namespace ptxguard
