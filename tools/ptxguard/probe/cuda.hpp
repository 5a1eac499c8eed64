// Loads PTX on a GPU of this machine through libcuda, in a child process. Never launches a kernel.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "probe/engine.hpp"

namespace ptxguard {

// `libcuda`: path of the driver's library. `gpu`: its compute capability; of several such GPUs the first is
// used.
Command cuda_command(const std::string& libcuda, Arch gpu, const std::string& ptx,
                     std::chrono::milliseconds limit);
EngineResult cuda_result(const std::string& libcuda, Arch gpu, const Answer& run);

}  // namespace ptxguard
