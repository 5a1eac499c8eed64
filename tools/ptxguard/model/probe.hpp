// What happened when something was really compiled.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "model/arch.hpp"
#include "model/origin.hpp"
#include "model/version.hpp"

namespace ptxguard {

enum class ProbeKind {
    list_archs,  // the nvcc was asked which architectures it offers
    ptx,         // test .cu -> PTX with this nvcc
    assemble,    // that PTX -> cubin with the ptxas that this nvcc uses
    object,      // test .cu -> object: cicc, cudafe++, ptxas, fatbinary and the host compiler together
    driver_jit,  // that PTX -> cubin with a driver's JIT
};
const char* to_string(ProbeKind kind);
std::optional<ProbeKind> probe_kind_from(const std::string& word);

// accepted; refused: the tool ran and said no; broken: it did not run, hung, crashed or said nonsense;
// unknown: not tried.
enum class Outcome { accepted, refused, broken, unknown };
const char* to_string(Outcome outcome);
std::optional<Outcome> outcome_from(const std::string& word);

struct ProbeResult {
    ProbeKind kind = ProbeKind::ptx;
    Outcome outcome = Outcome::unknown;
    Certainty basis = Certainty::measured;  // measured or predicted
    std::string toolkit;                    // id of the producer's toolkit
    std::string driver;                     // id, for driver_jit
    std::string tool;                       // path of the program or library that answered
    std::optional<Version> tool_version;
    std::optional<Arch> target;               // .target / -arch asked for
    std::optional<PtxVersion> ptx;            // .version of the PTX made or fed
    std::optional<PtxVersion> accepts_up_to;  // the consumer's own word ("current version is '9.0'")
    std::vector<Arch> archs;                  // list_archs: what the tool offers
    std::string command;                      // command line, or "nvPTXCompilerCompile --gpu-name=sm_80"
    int exit_code = 0;
    bool timed_out = false;
    bool crashed = false;     // ended by a signal / exception code
    std::string words;        // the tool's own text, whole but capped at 16 KiB
    std::string first_error;  // the line that tells a person why
    std::string culprit;  // which part failed inside an nvcc run: cicc, cudafe++, ptxas, host compiler ...
    double milliseconds = 0;
    bool cached = false;

    Origin origin() const;  // kind command or library, certainty = basis
};

}  // namespace ptxguard
