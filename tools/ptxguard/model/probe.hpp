// The results of test compiles.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "model/arch.hpp"
#include "model/fields.hpp"
#include "model/origin.hpp"
#include "model/version.hpp"

namespace ptxguard {

enum class ProbeKind {
    list_archs,  // the architectures that this nvcc supports
    ptx,         // test .cu -> PTX with this nvcc
    assemble,    // that PTX -> cubin with the ptxas that this nvcc uses
    object,      // test .cu -> object: cicc, cudafe++, ptxas, fatbinary and the host compiler together
    link,        // a C++ file -> program with the CUDA runtime, by the host linker that nvcc calls
    driver_jit,  // that PTX -> cubin with a driver's JIT
};
const char* to_string(ProbeKind kind);

// accepted; refused: the tool ran and rejected the input; broken: it did not run, hung, crashed or printed
// nonsense; unknown: not run.
enum class Outcome { accepted, refused, broken, unknown };
const char* to_string(Outcome outcome);

// Kind of failure, from the tool's message; for `other` see first_error. unlinked: the code needs functions
// of another file.
enum class Failure {
    ptx_version,
    architecture,
    host_compiler,
    c_library,
    not_started,
    unlinked,
    library,  // one that the linker does not find
    other
};
const char* to_string(Failure failure);

// Cause of a failed run; the first ones are components of a toolkit.
enum class Culprit {
    nvcc,
    cicc,
    ptxas,
    cudafe,
    nvlink,
    fatbinary,
    crt_headers,
    runtime_headers,
    libdevice,
    headers,
    host_compiler,
    temporary_folder,
    clang,
    unknown
};
const char* to_string(Culprit culprit);

struct ProbeResult {
    ProbeKind kind = ProbeKind::ptx;
    Outcome outcome = Outcome::unknown;
    Certainty basis = Certainty::measured;  // measured or predicted
    std::string toolkit;                    // id of the producer's toolkit
    std::string driver;                     // id of the driver, for driver_jit
    std::string tool;                       // path of the program or library that was run
    std::optional<Version> tool_version;
    std::optional<Arch> target;               // requested .target / -arch
    std::optional<PtxVersion> ptx;            // .version of the PTX that was written or read
    std::optional<PtxVersion> accepts_up_to;  // from the consumer's message ("current version is '9.0'")
    std::vector<Arch> archs;                  // list_archs: what the tool supports
    bool shared_runtime = false;              // link: with the shared CUDA runtime, not with the static one
    std::string command;                      // command line, or "nvPTXCompilerCompile --gpu-name=sm_80"
    int exit_code = 0;
    bool timed_out = false;   // stopped at the time limit
    bool crashed = false;     // ended by a signal or exception
    std::string words;        // output of the tool, complete up to 16 KiB
    std::string first_error;  // the line that explains the failure
    Failure failure = Failure::other;
    Culprit culprit = Culprit::unknown;  // component that failed inside an nvcc run
    double milliseconds = 0;             // duration of the run
    bool cached = false;                 // from the cache of test compiles

    Origin origin() const;  // kind command or library, certainty = basis

    PTXGUARD_MEMBERS((kind, outcome, basis), (toolkit, driver, tool, tool_version, target, ptx, accepts_up_to,
                                              archs, shared_runtime, command, exit_code, timed_out, crashed,
                                              words, first_error, failure, culprit, milliseconds, cached))
};

}  // namespace ptxguard
