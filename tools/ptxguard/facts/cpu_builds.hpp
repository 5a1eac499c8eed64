// Packages whose builds for CPUs say so in a constant of their libraries: facts/cpu_builds.json.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "facts/facts.hpp"

namespace ptxguard {

struct CpuBuildRow {
    std::vector<std::string> packages;  // canonical; empty = all whose modules link one of `links`
    std::vector<std::string> links;     // "libtorch_cpu.so"
    std::string extends;                // the framework of `links`, with which the package is used: "torch"
    std::vector<std::string> texts;     // one of them is in a module, and no module has device code
    Level level = Level::error;         // where a GPU is named and nothing else uses it
    std::string effect, instead;
    Origin origin;
};

const std::vector<CpuBuildRow>& cpu_build_rows(const Facts& facts);

}  // namespace ptxguard
