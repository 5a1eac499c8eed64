// The ABI in a cubin's header shows the CUDA that made it.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

namespace ptxguard {

// The CUDA major that first wrote such cubins; 0 = any. ABI 8 came with CUDA 12.8 for sm_100 and newer, and
// with 13.0 for all.
inline int first_cuda_of_cubin(std::uint8_t abi, int arch) { return abi < 8 ? 0 : arch < 100 ? 13 : 12; }

}  // namespace ptxguard
