// Every producer and consumer of PTX on a machine: in its toolkits, on PATH, in Python packages, its drivers,
// and those that the user named. Each tool once, under whatever paths. Runs nothing.
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
    bool only_named = false;         // no PATH, packages or toolkits that no option names
    bool scan = false;               // nothing will be run: versions come from strings in the files
    std::vector<std::string> tools;  // files that tool_file identified
};
// Call it after find_python, discover_toolkits and discover_drivers, whose results it uses.
void discover_compilers(const Host& host, const Request& request, const CompilerSearch& search,
                        Scenario& scenario, Matrix& matrix);

}  // namespace ptxguard
