// libNVVM's command and what its result codes mean.
// SPDX-License-Identifier: Apache-2.0
#include "probe/nvvm.hpp"

#include "probe/compile.hpp"
#include "probe/engine_lines.hpp"

namespace ptxguard {

namespace {

// IR version mismatch, invalid IR, invalid option, compilation failure.
const EngineKind k_nvvm{"libNVVM", true, {3, 6, 7, 9}, nullptr};

}  // namespace

Command nvvm_command(const std::string& library, const NvvmSample& sample, std::chrono::milliseconds limit) {
    return engine_command("nvvm", library, {}, sample.archs, sample.ir, limit);
}

EngineResult nvvm_result(const std::string& library, const NvvmSample& sample, const Answer& run) {
    EngineResult result = engine_result(k_nvvm, library, sample.archs, run);
    for (const EngineAnswer& answer : result.answers)
        if (!result.version) result.version = read_ptx_head(answer.ptx).compiler;
    return result;
}

}  // namespace ptxguard
