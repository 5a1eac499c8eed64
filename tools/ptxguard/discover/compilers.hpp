// Every producer and consumer of PTX on a machine: those of its toolkits, on PATH, in Python packages, of its
// drivers, and those that the user named. Each tool once, whatever it is called by. Runs nothing.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "host/host.hpp"
#include "model/matrix.hpp"
#include "model/request.hpp"
#include "model/scenario.hpp"

namespace ptxguard {

struct CompilerSearch {
    bool only_named = false;         // neither PATH nor packages nor toolkits that no option names
    bool scan = false;               // nothing will be run: versions from the texts inside the files
    std::vector<std::string> tools;  // files of which tool_file knows what they are
};
// After discover_toolkits and discover_drivers, from what those found.
void discover_compilers(const Host& host, const Request& request, const CompilerSearch& search,
                        Scenario& scenario, Matrix& matrix);

}  // namespace ptxguard
