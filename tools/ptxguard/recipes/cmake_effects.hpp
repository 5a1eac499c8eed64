// What the commands of CMake do to variables. Inner header of the room.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

namespace ptxguard::recipes {

// The command sets no variable that an argument names.
bool leaves_variables(const std::string& command);
// It sets one: string(... OUT), file(READ FILE OUT).
bool sets_variables(const std::string& command);
// A function that is not here and may set the list: rapids_cuda_init_architectures(NAME).
bool may_set_architectures(const std::string& command);
// Its arguments may be flags: target_compile_options(...), cuda_add_library(...).
bool takes_flags(const std::string& command);
// CMAKE_CUDA_FLAGS, CMAKE_CUDA_FLAGS_RELEASE, CUDA_NVCC_FLAGS: all that is put there is read.
bool is_flags_variable(const std::string& name);

}  // namespace ptxguard::recipes
