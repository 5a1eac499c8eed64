// Records of the system's own package manager: dpkg's.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "expect/expect.hpp"

namespace ptxguard {

// The Version line of an installed package in dpkg's status file, with its line; nothing for one that is not
// installed (only its configuration is left).
struct DpkgVersion {
    std::string text;  // "1.13.1+dfsg-4"
    int line = 0;
};
std::optional<DpkgVersion> read_dpkg_status(std::string_view status, std::string_view package);
// "2:1.13.1+dfsg-4" -> 1.13.1: without epoch, Debian's additions and revision.
std::optional<Version> upstream_version(std::string_view text);

// dpkg knows the release better than a build that calls itself 1.13.0a0; what the file says is kept as a
// disagreement.
void add_dpkg_version(const Host& host, const char* package, Expectation& expectation);

}  // namespace ptxguard
