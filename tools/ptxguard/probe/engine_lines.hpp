// From a child's lines to an EngineResult; shared by the three libraries. Inner header of the room.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "probe/engine.hpp"

namespace ptxguard {

struct EngineKind {
    const char* name;  // "NVRTC"
    bool makes_ptx = false;
    std::vector<int> refusals;  // result codes that reject the input; all others except 0 are failures
    Outcome (*by_words)(const std::string& log,
                        Outcome by_code) = nullptr;  // if the text is more specific than the code
};

Command engine_command(const char* mode, const std::string& library, std::vector<std::string> options,
                       const std::vector<Arch>& archs, const std::string& input,
                       std::chrono::milliseconds limit);
EngineResult engine_result(const EngineKind& kind, const std::string& library, const std::vector<Arch>& archs,
                           const Answer& run);

}  // namespace ptxguard
