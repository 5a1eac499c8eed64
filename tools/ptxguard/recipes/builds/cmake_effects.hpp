// What the commands of CMake do to variables. Inner header of the room.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace ptxguard::recipes {

// The command sets no variable that an argument names.
bool leaves_variables(const std::string& command);
// It sets one: string(... OUT), file(READ FILE OUT).
bool sets_variables(const std::string& command);
// A function that is not here and may set the list: rapids_cuda_init_architectures(NAME).
bool may_set_architectures(const std::string& command);
// Its arguments may be flags: target_compile_options(...), cuda_add_library(...).
bool takes_flags(const std::string& command);
// The variable that list() sets, and its new value; nothing: not known here. The words are expanded.
std::optional<std::string> list_target(const std::vector<std::string>& words);
std::optional<std::string> list_result(const std::vector<std::string>& words, const std::string& list);
// What string() or math() sets, and the value.
std::optional<std::pair<std::string, std::string>> text_result(const std::string& command,
                                                               const std::vector<std::string>& words);
// The same of string(REGEX MATCH) and string(REGEX REPLACE) that replaces once, with CMAKE_MATCH_1; empty:
// not known.
std::vector<std::pair<std::string, std::string>> regex_result(const std::vector<std::string>& words);
// CMAKE_CUDA_FLAGS, CMAKE_CUDA_FLAGS_RELEASE, CUDA_NVCC_FLAGS: all that is put there is read.
bool is_flags_variable(const std::string& name);

}  // namespace ptxguard::recipes
