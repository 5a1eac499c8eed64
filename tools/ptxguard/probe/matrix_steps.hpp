// The steps of filling a matrix. Inner header of the room.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <memory>
#include <string>
#include <vector>

#include "probe/bench.hpp"
#include "probe/matrix.hpp"

namespace ptxguard {

// A question takes milliseconds; who has not answered by then hangs, and is asked nothing more.
constexpr std::chrono::milliseconds k_question_limit{10000};

// An nvcc among the producers.
struct MatrixBench {
    Producer* producer = nullptr;
    std::unique_ptr<Bench> bench;
    ProbeResult list;
    std::vector<Task> tasks;
};

struct MatrixRun {
    const Host& host;
    const Facts& facts;
    const ProbeCache& cache;
    const ProbeOptions& options;
    Scenario& scenario;
    Matrix& matrix;
    bool may_run = false;
    std::vector<MatrixBench> benches = {};
    WorkFolder work = {};  // of the consumers and of clang

    std::chrono::milliseconds limit(std::chrono::milliseconds usual) const {
        return std::min(usual, options.time_limit);
    }
};

// Asks each consumer how far it reads, and its version; who does not answer is broken.
void ask_consumers(MatrixRun& run);
// Asks each nvcc for its list and settles the targets.
void settle_targets(MatrixRun& run);
// What each producer makes for each target.
void make_ptx(MatrixRun& run);
// Triton writes the newest version that the ptxas it calls reads.
void predict_triton(const MatrixRun& run, Producer& producer);
// A compiler that is not run.
void predict_producer(const MatrixRun& run, Producer& producer);
// Feeds everything to everyone.
void read_ptx(MatrixRun& run);

}  // namespace ptxguard
