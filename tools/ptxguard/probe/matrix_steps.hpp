// The steps of filling a matrix. Inner header of the room.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <memory>
#include <vector>

#include "probe/bench.hpp"
#include "probe/matrix.hpp"
#include "probe/predict.hpp"

namespace ptxguard {

// A query takes milliseconds; a consumer that has not answered by then hangs, and is not run again.
constexpr std::chrono::milliseconds k_question_limit{10000};

// An nvcc among the producers.
struct MatrixBench {
    Producer* producer = nullptr;
    std::unique_ptr<Bench> bench;
    ProbeResult list;
    std::vector<Task> tasks;
};

struct MatrixRun {
    const Asker& ask;
    const Facts& facts;
    const ProbeOptions& options;
    Scenario& scenario;
    Matrix& matrix;
    bool may_run = false;
    bool lower_versions = true;  // compile refused PTX again, with the version that the consumer accepts
    bool own_folder = false;  // tileiras uses ptxas and libNVVM from its own folder, regardless of variables
    std::vector<MatrixBench> benches = {};

    std::chrono::milliseconds limit(std::chrono::milliseconds usual) const {
        return std::min(usual, options.time_limit);
    }
};

// Measures the newest PTX that each consumer accepts, and its version; one that does not answer is broken.
void ask_consumers(MatrixRun& run);
// Gets the architecture list of each nvcc and decides the targets.
void settle_targets(MatrixRun& run);
// What each producer writes for each target.
void make_ptx(MatrixRun& run);
// Triton writes the newest version that its ptxas accepts.
void predict_triton(const MatrixRun& run, Producer& producer);
// What a table lists for a consumer that is not run.
Prediction predict_consumer(const MatrixRun& run, const Consumer& consumer, Arch target, PtxVersion ptx);
// LTO-IR by nvJitLink, Tile IR by tileiras: accepted if not newer than the consumer. A driver's compiler of
// Tile IR has no documented interface: it is only known if a driver has none.
Prediction predict_ir_consumer(const MatrixRun& run, const Consumer& consumer, EntryKind code, PtxVersion ir);
// A compiler that is not run.
void predict_producer(const MatrixRun& run, Producer& producer);
// Gives every PTX to every consumer.
void read_ptx(MatrixRun& run);

}  // namespace ptxguard
