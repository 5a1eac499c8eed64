// From what a compiler printed to why it failed: which part spoke, the line that tells a person, and the
// newest PTX version that it reads. Pure text; every pattern was taken from a real tool.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "host/host.hpp"
#include "model/probe.hpp"

namespace ptxguard {

struct Diagnosis {
    Outcome outcome = Outcome::accepted;
    std::string first_error;
    std::string culprit;  // "ptxas", "cicc", "host compiler", "crt headers" ...; empty = not told
    std::optional<PtxVersion> accepts_up_to;
};

// `program`: the name of what was started ("nvcc"). `made`: its output is there and is not empty.
Diagnosis diagnose(const ProcessResult& run, ProbeKind kind, const std::string& program, bool made);

// Bytes kept of a tool's own words.
constexpr std::size_t k_words_cap = 16384;
// How the run went, and what it says, into the result of a probe.
void take_run(ProbeResult& result, const ProcessResult& run, const Diagnosis& diagnosis);

// The text of a failure alone (a JIT's error log).
Diagnosis diagnose_text(std::string_view text, ProbeKind kind);

// "current version is '9.0'"
std::optional<PtxVersion> current_version_in(std::string_view text);
bool is_unknown_gpu_name(std::string_view text);

}  // namespace ptxguard
