// What one executed command of CMake says about device code, as steps. Inner header of the room.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "recipes/base/recipe.hpp"
#include "recipes/builds/cmake_variables.hpp"

namespace ptxguard::recipes {

// `variables`: after the command. `all_known`: a list of which a part is not known is not known; else that
// part is left out.
std::vector<Step> steps_of_cmake(const std::string& file, const CMakeCommand& command,
                                 const CMakeVariables& variables, bool fixed, bool all_known);

// CMake's own variable for what cmake_minimum_required() names.
constexpr const char* k_minimum_cmake = "CMAKE_MINIMUM_REQUIRED_VERSION";
// FindCUDA's function that makes nvcc's flags of names and numbers.
constexpr const char* k_selects_archs = "cuda_select_nvcc_arch_flags";
// Whether that variable of CMake names a standard, or that it is required.
bool is_standard_variable(const std::string& name);

}  // namespace ptxguard::recipes
