// One run of nvcc or ptxas in a work folder: from the cache, or in parallel with others.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "host/host.hpp"
#include "model/scenario.hpp"
#include "probe/batch.hpp"
#include "probe/cache.hpp"
#include "probe/work_folder.hpp"

namespace ptxguard {

// nvcc is a chain of short programs and waits between them: one more than cores keeps the cores busy.
constexpr unsigned k_beyond_cores = 1;

struct Task {
    ProbeKind kind = ProbeKind::ptx;
    std::optional<Arch> arch;
    std::string stem;     // of the PTX file that is written or read
    std::string program;  // "nvcc", "ptxas"
    Command command;
    CacheKey key;
    WorkFolder* work = nullptr;
    ProbeResult blank;  // the result without its answer: tool and target
    bool lists_headers = false;
    CacheEntry entry;  // after the run: one result
    ProbeResult& result() { return entry.results.front(); }
    const ProbeResult& result() const { return entry.results.front(); }
};

// Cached answers are available at once; the others are added to `batch`, and answered when it has run. Tasks
// must not move until then.
void add_tasks(const Host& host, const ProbeCache& cache, const std::vector<Task*>& tasks, Batch& batch);
// Call this after the batch: on a full disk nvcc may report anything.
void excuse_full_disk(const std::vector<Task*>& tasks);
// Both, in parallel.
void run_tasks(const Host& host, const ProbeCache& cache, const std::vector<Task*>& tasks);
// A compile is cached only with the list of the headers that it read.
void store_task(const ProbeCache& cache, const Task& task);

}  // namespace ptxguard
