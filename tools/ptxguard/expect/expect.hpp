// What the frameworks at hand expect of a toolchain, read from their files without importing Python.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "facts/facts.hpp"
#include "host/host.hpp"
#include "model/request.hpp"
#include "model/scenario.hpp"

namespace ptxguard {

// Fills scenario.expectations: frameworks named in the request (installed or declared), else all that are found.
void expect(const Host& host, const Facts& facts, const Request& request, Scenario& scenario);

// One framework's reader; each lives in expect/frameworks/<name>/ and is listed in expect/frameworks/table.hpp.
struct FrameworkReader {
    const char* component;     // "PyTorch": CMake component and Expectation::framework
    const char* package;       // "torch"
    std::vector<const char*> aliases;  // accepted in --framework, lower case: "pytorch", "libtorch"
    // Looks into one site-packages folder (or a libtorch root). Nothing where the framework is not there.
    std::vector<Expectation> (*read)(const Host& host, const std::string& folder);
    // torch==2.0.0+cu121: what the tables say of that build.
    Expectation (*declared)(const Facts& facts, System system, const Version& version);
};

}  // namespace ptxguard
