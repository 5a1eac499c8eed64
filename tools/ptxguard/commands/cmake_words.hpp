// CMake's names for the options: what a user of find_package(CudaConsistent) has set and can set.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "model/judgement.hpp"

namespace ptxguard {

// "driver" -> "CudaConsistent_DRIVER"; `list`: the variable that --arch comes from. Empty = no variable sets
// it.
std::string cmake_variable(const std::string& option, const std::string& list);

// Names variables wherever the findings name options of the command line.
void speak_cmake(Judgement& judgement, const std::string& list);

}  // namespace ptxguard
