// NVIDIA's installers for Linux: facts/runfiles.json.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>

#include "facts/facts.hpp"

namespace ptxguard {

struct Runfile {
    std::optional<Version> release;
    std::string update, driver;  // as its name spells them: "12.8.1", "570.124.06"
    Origin origin;

    // `machine`: "linux", "linux_sbsa".
    std::string name(const std::string& machine) const;
    std::string address(const std::string& machine) const;
};

// Of the newest update of that release; null if no row lists it.
const Runfile* runfile_of(const Facts& facts, const Version& release);

}  // namespace ptxguard
