// Numbers that functions of a compiled Python extension return: JAX's plugin tells what it was built with by
// functions like cudnn_build_version(), whose whole code is `return 90800`. Read from the machine code
// (ELF of x86-64 and AArch64), for nothing of a framework is ever run.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "model/source.hpp"

namespace ptxguard {

// By name of the Python function. A name that is not there, or whose function does more than return a
// number, is left out.
std::map<std::string, std::uint32_t> returned_constants(const Source& source,
                                                        const std::vector<std::string>& names);

}  // namespace ptxguard
