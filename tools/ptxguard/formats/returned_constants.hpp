// Numbers that functions of a compiled Python extension return: JAX's plugin reports the versions it was
// built with through functions like cudnn_build_version(), whose whole code is `return 90800`. Read from the
// machine code (ELF of x86-64 and AArch64), because no framework code is ever run.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "model/source.hpp"

namespace ptxguard {

// By name of the Python function. Omits missing names, and functions that do more than return a number.
std::map<std::string, std::uint32_t> returned_constants(const Source& source,
                                                        const std::vector<std::string>& names);

// Constants loaded by the instructions of a function, in order; `machine` as in ELF.
std::vector<std::uint32_t> constants_in_code(const std::string& code, std::uint16_t machine);

}  // namespace ptxguard
