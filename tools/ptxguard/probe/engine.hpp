// What a compiler in a library (NVRTC, nvJitLink, libNVVM) answered. Each is asked through a child of
// ourselves, for a library may crash, hang or belong to another machine. The parent's side; the child's is
// child_*.cpp.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <optional>
#include <string>
#include <vector>

#include "host/host.hpp"
#include "model/arch.hpp"
#include "model/probe.hpp"
#include "model/version.hpp"

namespace ptxguard {

// One architecture. refused: the library ran and said no. broken: it could not work (builtins missing, crash,
// hang, not the library that its name says). unknown: we could not start ourselves, or it was not tried.
struct EngineAnswer {
    std::optional<Arch> arch;  // none: only loaded, or asked how far it reads
    Outcome outcome = Outcome::unknown;
    int result = 0;                           // the library's result code
    std::string call;                         // "nvrtcCompileProgram --gpu-architecture=compute_80"
    std::string log;                          // the library's own words, capped at 16 KiB
    std::string first_error;                  // the line that tells a person why
    std::string ptx;                          // the PTX made (NVRTC, libNVVM)
    std::optional<PtxVersion> ptx_version;    // of its head
    std::optional<PtxVersion> accepts_up_to;  // "current version is '9.0'" (nvJitLink)
    double milliseconds = 0;                  // of the compilation itself, without start and loading
};

struct EngineResult {
    std::string path;                    // as asked for
    Outcome outcome = Outcome::unknown;  // of loading: accepted, broken, unknown
    std::string trouble;                 // why it could not be used, one line
    std::string words;                   // whole, of the loader or of standard error
    // Of NVRTC and nvJitLink the CUDA release ("12.9"); of libNVVM that of the tools that its PTX names
    // ("12.9.86").
    std::optional<Version> version;
    std::optional<Version> ir, llvm;  // libNVVM: of the IR that it reads, and of LLVM where it tells
    bool lists_archs = false;         // `archs` is the library's own list (NVRTC from 11.2 on)
    std::vector<Arch> archs;
    std::optional<PtxVersion> accepts_up_to;  // nvJitLink, where it was asked or said so
    std::vector<EngineAnswer> answers;        // one per arch asked for, in their order
    bool timed_out = false, crashed = false;
    double milliseconds = 0;  // of the whole child
};

// PTX of a large source comes back in the child's lines.
constexpr std::size_t k_engine_output_cap = 64u << 20;

// The answer as a probe's result; `toolkit` and the target's form are the caller's.
ProbeResult probe_result(const EngineResult& engine, const EngineAnswer& answer, ProbeKind kind);

}  // namespace ptxguard
