// From a compiler's output to the cause of failure: the component that failed, the line that explains it, and
// the newest PTX version that it accepts. String processing only; every pattern comes from a real tool.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "ask/asker.hpp"
#include "model/probe.hpp"

namespace ptxguard {

struct Diagnosis {
    Outcome outcome = Outcome::accepted;
    std::string first_error;
    Failure failure = Failure::other;
    Culprit culprit = Culprit::unknown;
    std::optional<PtxVersion> refused,
        accepts_up_to;  // of "Unsupported .version 9.5; current version is '9.0'"
};

// `program`: the name of the program that was started ("nvcc"). `made`: its output exists and is not empty.
Diagnosis diagnose(const Answer& run, ProbeKind kind, const std::string& program, bool made);

// Bytes kept of a tool's own message.
constexpr std::size_t k_words_cap = 16384;
// Stores the outcome and message of a run in a probe result.
void take_run(ProbeResult& result, const Answer& run, const Diagnosis& diagnosis);

// Only the text of a failure (a JIT compiler's error log).
Diagnosis diagnose_text(std::string_view text, ProbeKind kind);

// "current version is '9.0'"
std::optional<PtxVersion> current_version_in(std::string_view text);
bool is_unknown_gpu_name(std::string_view text);
// A result that another run need not repeat; a tool that is broken now may work next time.
bool worth_keeping(const ProbeResult& result);

}  // namespace ptxguard
