// What CMake accepts in CUDA_ARCHITECTURES. It passes the entries of a target's list on as they are, so that
// another spelling fails in every compile; in CMAKE_CUDA_ARCHITECTURES it refuses them.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "model/scenario.hpp"

namespace ptxguard {

struct Misspelt {
    std::vector<std::string> entries;  // as written
    std::string right;                 // the whole list as CMake reads it; empty = not known what was meant
};
// Nothing if CMake reads every entry.
std::optional<Misspelt> misspelt_in(const std::string& list);

// The scenario's list is misspelt, so its architectures are not known.
void mark_misspelt(Scenario& scenario);
bool is_misspelt(const Scenario& scenario);

}  // namespace ptxguard
