// One toolkit's nvcc, ready to be asked: its command lines, cache key and work folder, and the runs that
// `check` and `matrix` both need.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "host/host.hpp"
#include "model/scenario.hpp"
#include "probe/compile.hpp"
#include "probe/key.hpp"
#include "probe/probe.hpp"
#include "probe/task.hpp"

namespace ptxguard {

struct Bench {
    Bench(const Host& host, const ProbeCache& cache, const ProbeOptions& options, Scenario& scenario,
          Toolkit& toolkit);

    const Host& host;
    const ProbeCache& cache;
    Scenario& scenario;
    Toolkit& toolkit;
    Compiler compiler;
    CacheKey key;
    WorkFolder work;
};

// The path by which a program can be started in another folder than ours.
std::string absolute_program(const Host& host, const std::string& program);

Task make_task(Bench& bench, ProbeKind kind, std::optional<Arch> arch, Command command);
// --list-gpu-code; nvcc before 11.1 has none, its help names the values.
ProbeResult list_archs(Bench& bench, std::chrono::milliseconds limit);
// PTX for each arch, not run yet. `known`: what nvcc lists.
std::vector<Task> ptx_tasks(Bench& bench, const std::vector<Arch>& known,
                            const std::vector<std::optional<Arch>>& archs);
// Headers that one compile listed are those of all of them, and of `other`.
void share_headers(std::vector<Task>& ptx, Task* other);

}  // namespace ptxguard
