// The toolkit that a CI action installs, as the packages that it takes.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "recipes/base/recipe.hpp"

namespace ptxguard::recipes {

// Inputs of Jimver/cuda-toolkit and of similar actions.
struct ToolkitInputs {
    Written uses, version;
    bool network = false;
    Written components;  // sub-packages: '["nvcc", "cudart"]'; empty = all
    Written others;      // non-cuda-sub-packages: '["libcublas"]'
    std::string runner;  // "Linux", "Windows"
};
AptInstall toolkit_of_action(const ToolkitInputs& inputs);
// The variable CUDA_PATH that it exports; empty where it is not known.
Written path_of_toolkit(const ToolkitInputs& inputs);

// Whether the steps after it may have cl.exe on PATH: an action for that, or one that is not known.
bool may_enter_prompt(const std::string& action);

}  // namespace ptxguard::recipes
