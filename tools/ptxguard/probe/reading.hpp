// Calls a driver's PTX compiler (libnvidia-ptxjitcompiler) in a child process, so that a library that
// crashes or hangs does no harm. The message text decides, because result codes differ between drivers.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <deque>
#include <map>
#include <string>
#include <tuple>
#include <vector>

#include "ask/asker.hpp"
#include "model/matrix.hpp"
#include "model/scenario.hpp"

namespace ptxguard {

// PTX for each driver. Without text, only the newest version that the driver accepts is measured.
struct PtxSample {
    std::string text;
    std::string toolkit;         // id of its producer
    std::optional<Arch> target;  // of the build; copied to the results
    std::optional<PtxVersion> version;
    std::vector<Arch> archs;  // compile for these
};

Question jit_question(const JitLibrary& library, const PtxSample& sample, std::chrono::milliseconds limit);

// One result per arch of the sample. If the driver does not support an arch, there is one more without
// target, for whether it accepts the PTX version for a supported arch. A sample without text gives one result
// without target and PTX. A library that accepts an absurd version or refuses the oldest one is not used: all
// its results are unknown.
std::vector<ProbeResult> jit_results(const Driver& driver, const JitLibrary& library, const PtxSample& sample,
                                     const Answer& run);

// PTX for the installed GPUs that it may be compiled for, otherwise for its own target.
std::vector<Arch> archs_to_compile_for(Arch target, const std::vector<Gpu>& gpus);

// Code given to a compiler that reads it: ptxas, nvJitLink, tileiras, a driver's JIT compiler, a GPU's
// driver. Used by `check`, `matrix` and `inspect --compile`.

// tileiras uses ptxas and libNVVM from the first of these that is set, silently.
constexpr const char* k_tileiras_variables[] = {"CUDA_HOME", "CUDA_ROOT", "CUDA_PATH"};

struct Reading {
    const Consumer* consumer = nullptr;
    const PtxSample* sample = nullptr;
    // Of a driver's JIT compiler as jit_results() has them, otherwise one, for the sample's only arch.
    std::vector<ProbeResult> results;

    const ProbeResult& result() const { return results.front(); }
};

class Readings {
public:
    Readings(const Asker& ask, std::chrono::milliseconds limit) : m_ask(ask), m_limit(limit) {}

    // For tileiras: ptxas and libNVVM from its own folder, regardless of variables.
    bool own_folder = false;

    // Consumers and samples must not move until all have run. Equal code of one toolkit shares a reading; the
    // pointer stays valid.
    Reading* add(const Consumer& consumer, const PtxSample& sample);
    // Returns the number of runs that the cache did not answer.
    int run();

private:
    const std::string& digest_of(const PtxSample& sample);
    Question question_of(Reading& reading);
    Question tile_question(const Reading& reading, const std::string& output);

    const Asker& m_ask;
    std::chrono::milliseconds m_limit;
    std::deque<Reading> m_all;
    std::map<const PtxSample*, std::string> m_digests;
    std::map<std::tuple<const Consumer*, std::string, std::string, std::vector<Arch>>, Reading*> m_known;
};

}  // namespace ptxguard
