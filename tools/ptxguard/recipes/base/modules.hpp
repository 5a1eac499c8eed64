// Environment modules of clusters: `module load gcc/13.2 cuda/12.4`, `ml CUDA/12.4.0`.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "model/version.hpp"
#include "recipes/base/recipe.hpp"

namespace ptxguard::recipes {

// The known words that name modules which the command loads.
std::vector<Written> modules_loaded_by(const Command& command);

struct NamedModule {
    std::string name;  // in lower case
    std::optional<Version> release;
};
// "cuda/12.4.1-gcc-12", "nvidia/cuda-12.4", "cuda12.4/toolkit/12.4.1", "cudatoolkit/23.9_12.2" of Cray.
NamedModule named_module(const std::string& word);

}  // namespace ptxguard::recipes
