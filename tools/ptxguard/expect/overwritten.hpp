// Packages of two CUDA majors (nvidia-nccl-cu11, nvidia-nccl-cu12) bring files of one name: pip lays the one
// over the other and holds both for installed.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "expect/expect.hpp"

namespace ptxguard {

// Adds a misfit for each package that the framework asks for whose library is in truth another package's.
void find_overwritten(const Host& host, Expectation& expectation);

}  // namespace ptxguard
