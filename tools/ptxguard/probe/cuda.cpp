// SPDX-License-Identifier: Apache-2.0
#include "probe/cuda.hpp"

#include "probe/engine_lines.hpp"

namespace ptxguard {
namespace {

// CUDA_ERROR_INVALID_IMAGE, NO_BINARY_FOR_GPU, INVALID_PTX, UNSUPPORTED_PTX_VERSION. Others (no memory, no
// JIT compiler, a lost GPU) say nothing about the PTX.
const EngineKind k_cuda{"the driver", false, {200, 209, 218, 222}};

}  // namespace

Command cuda_command(const std::string& libcuda, Arch gpu, const std::string& ptx,
                     std::chrono::milliseconds limit) {
    Command command = engine_command("cuda", libcuda, {}, {gpu}, ptx, limit);
    // Otherwise the driver would not compile again what is in its cache.
    command.environment["CUDA_CACHE_DISABLE"] = "1";
    return command;
}

EngineResult cuda_result(const std::string& libcuda, Arch gpu, const Answer& run) {
    return engine_result(k_cuda, libcuda, {gpu}, run);
}

}  // namespace ptxguard
