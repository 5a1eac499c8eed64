// Which Python's packages are used, and the folders that it would import from. Nothing is run.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "expect/expect.hpp"

namespace ptxguard {

struct PythonChoice {
    std::string python;                 // interpreter, environment or folder as named; empty = none found
    std::string because;                // "--python", "VIRTUAL_ENV", "CONDA_PREFIX", "PATH"
    std::vector<SitePlace> places;      // in the order of sys.path
    std::optional<Unreadable> trouble;  // --python names nothing usable
};

// --python, VIRTUAL_ENV, CONDA_PREFIX, PATH: the first that leads to a Python.
PythonChoice choose_python(const Host& host, const Request& request);

}  // namespace ptxguard
