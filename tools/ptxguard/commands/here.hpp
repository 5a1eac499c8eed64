// Joins a log with what `check` finds on a machine: which of its faults explains a cause, and where the
// machine differs from the one that wrote the log.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "commands/settings.hpp"
#include "diagnose/diagnose.hpp"
#include "facts/facts.hpp"
#include "host/host.hpp"
#include "model/scenario.hpp"

namespace ptxguard {

void join_here(const Scenario& log, const std::vector<Scenario>& here, const std::vector<Finding>& findings,
               const Facts& facts, Diagnosed& diagnosed);

// The settings of the check that explains a log: also the build and the architectures that the log is about,
// where the user named none.
Settings settings_for_log(Settings settings, const Scenario& log, const Explanation& explanation);
// The GPU and the driver of the log, where the machine shows none.
void add_from_log(const Scenario& log, Scenario& here);

// The configuration file to use if none is named. It may be a stranger's: from a repository just cloned, or
// left in a folder above by somebody.

struct NearestConfiguration {
    std::string path, text;            // empty = none
    std::vector<Trouble> passed_over;  // files that another user may have written
};

// The nearest ptxguard.toml, or pyproject.toml with our table, from the folder `start` up to the root of the
// repository, the home folder or a folder that others may write. An error if it exists but cannot be read.
Result<NearestConfiguration> nearest_configuration(
    const Host& machine, const std::string& start,
    const std::function<own::Author(const std::string& path)>& author_of);

}  // namespace ptxguard
