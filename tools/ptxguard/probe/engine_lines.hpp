// Parses a child's lines into answers; shared by all libraries. Inner header of the room.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "model/json.hpp"
#include "probe/engine.hpp"

namespace ptxguard {

// What a child wrote (probe/child.hpp).
struct ChildLines {
    std::vector<Json> compiles, versions;
    Json loaded, limit, oldest;
    std::string trouble;
};
ChildLines read_child_lines(const std::string& out);
// Why the child ended before it answered; `name` is the library's.
std::string end_of_child(const std::string& name, const ProcessResult& run, const ChildLines& lines);

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
