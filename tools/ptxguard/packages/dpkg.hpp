// The records of Debian's package manager: /var/lib/dpkg.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "host/host.hpp"
#include "model/origin.hpp"
#include "model/version.hpp"

namespace ptxguard {

// The Version line of an installed package in dpkg's status file, with its line number; nothing if it is not
// installed (only its configuration is left).
struct DpkgVersion {
    std::string text;  // "1.13.1+dfsg-4"
    int line = 0;
};
std::optional<DpkgVersion> read_dpkg_status(std::string_view status, std::string_view package);
// "2:1.13.1+dfsg-4" -> 1.13.1: without epoch, the packager's additions and revision.
std::optional<Version> upstream_version(std::string_view text);

// The upstream version of an installed package.
Known<Version> dpkg_version(const Host& host, const std::string& package);
// The installed packages whose name contains one of the words and that list one of the paths.
std::vector<std::string> dpkg_owners(const Host& host, const std::vector<std::string>& paths,
                                     const std::vector<std::string>& words);

}  // namespace ptxguard
