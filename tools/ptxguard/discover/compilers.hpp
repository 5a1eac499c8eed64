// Every producer and consumer of PTX on a machine: in toolkits, on PATH, in Python packages, in drivers, and
// those that the user named. Each tool once, under any path. Runs nothing.
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
    bool only_named = false;         // skip PATH, packages and toolkits that no option names
    bool scan = false;               // nothing will be run: versions come from strings in the files
    std::vector<std::string> tools;  // files that tool_file identified
};
// Uses the toolkits, drivers, picks and the Python environment of the scenario.
void discover_compilers(const Host& host, const Request& request, const CompilerSearch& search,
                        Scenario& scenario, Matrix& matrix);

}  // namespace ptxguard
