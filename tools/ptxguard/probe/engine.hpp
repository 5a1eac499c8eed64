// Answers of a compiler in a library (NVRTC, nvJitLink, libNVVM). Each is called in a child process, because
// a library may crash, hang or be for another machine. This is the parent's side; the child's is child_*.cpp.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <optional>
#include <string>
#include <vector>

#include "ask/asker.hpp"
#include "model/arch.hpp"
#include "model/json.hpp"
#include "model/probe.hpp"
#include "model/version.hpp"

namespace ptxguard {

// One architecture. refused: the library ran and rejected the input. broken: it could not work (builtins
// missing, crash, hang, not the library in its name). unknown: we could not start ourselves, or it was not
// run.
struct EngineAnswer {
    std::optional<Arch> arch;  // none: only loaded, or only its limit was measured
    Outcome outcome = Outcome::unknown;
    int result = 0;           // the library's result code
    std::string call;         // "nvrtcCompileProgram --gpu-architecture=compute_80"
    std::string log;          // the library's message, at most 16 KiB
    std::string first_error;  // the line that explains the failure
    Failure failure = Failure::other;
    std::string ptx;                          // the PTX that it wrote (NVRTC, libNVVM), or the LTO-IR
    std::optional<PtxVersion> ptx_version;    // from its head
    std::optional<PtxVersion> ir;             // of LTO-IR: its container's version
    std::optional<PtxVersion> accepts_up_to;  // "current version is '9.0'" (nvJitLink)
    double milliseconds = 0;                  // of the compilation itself, without starting and loading
};

struct EngineResult {
    std::string path;                    // as requested
    Outcome outcome = Outcome::unknown;  // of loading: accepted, broken, unknown
    std::string trouble;                 // why it could not be used, one line
    std::string words;                   // complete output of the loader or of standard error
    // For NVRTC and nvJitLink the CUDA release ("12.9"); for libNVVM that of the tools named in its PTX
    // ("12.9.86").
    std::optional<Version> version;
    std::optional<Version> ir, llvm;  // libNVVM: of the IR that it accepts, and of LLVM if it reports it
    bool lists_archs = false;         // `archs` is the library's own list (NVRTC 11.2 and newer)
    std::vector<Arch> archs;
    std::optional<PtxVersion> accepts_up_to;  // nvJitLink, if it was measured
    std::vector<EngineAnswer> answers;        // one per requested arch, in their order
    bool timed_out = false, crashed = false;
    bool cached = false;
    double milliseconds = 0;  // of the whole child
};

// The child's lines may contain the PTX of a large source.
constexpr std::size_t k_engine_output_cap = 64u << 20;

// The answer as a probe's result; `toolkit` and the target's form are the caller's.
ProbeResult probe_result(const EngineResult& engine, const EngineAnswer& answer, ProbeKind kind);

// Parses a child's lines into answers; shared by all libraries.

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
