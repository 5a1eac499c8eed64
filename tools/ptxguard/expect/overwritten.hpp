// Packages of two CUDA majors (nvidia-nccl-cu11, nvidia-nccl-cu12) contain files of the same name: pip
// overwrites one with the other and considers both installed.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "expect/expect.hpp"

namespace ptxguard {

// Adds a misfit for each required package whose library really belongs to another package.
void find_overwritten(const Host& host, Expectation& expectation);

}  // namespace ptxguard
