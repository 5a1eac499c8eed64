// The architectures that a CMake file or setup.py requests from nvcc, by the CUDA release: lists in branches
// that compare it, appended, filtered in loops, written as flags. The file is followed once for each release.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "formats/cmake_commands.hpp"
#include "model/recipe.hpp"
#include "recipes/base/recipe.hpp"

namespace ptxguard::recipes {

// Null if the file compares no release of CUDA, or names no architectures.
std::shared_ptr<const GatedScript> gated_script(const std::string& file,
                                                const std::vector<CMakeCommand>& commands);
std::shared_ptr<const GatedScript> gated_script(const std::string& file, std::string_view python);
// `releases`: ascending.
std::vector<ArchGate> arch_gates(const GatedScript& script, const std::vector<Version>& releases,
                                 Budget& budget);

}  // namespace ptxguard::recipes
