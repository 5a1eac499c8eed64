// One toolkit's nvcc, ready to run: its command lines, what affects its answers, and the runs that `check`
// and `matrix` share.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "host/host.hpp"
#include "model/scenario.hpp"
#include "probe/compile.hpp"
#include "probe/probe.hpp"
#include "probe/task.hpp"

namespace ptxguard {

struct Bench {
    Bench(const Asker& ask, const ProbeOptions& options, Scenario& scenario, Toolkit& toolkit);

    const Asker& ask;
    const Host& host;
    Scenario& scenario;
    Toolkit& toolkit;
    Compiler compiler;
    Question question;  // the start of each
};

// The path that starts a program from another folder than ours.
std::string absolute_program(const Host& host, const std::string& program);

Task make_task(Bench& bench, ProbeKind kind, std::optional<Arch> arch, Command command);
// --list-gpu-code; nvcc before 11.1 does not have it, but lists the values in its help.
ProbeResult list_archs(Bench& bench, std::chrono::milliseconds limit);
// PTX for each arch, not run yet. `known`: nvcc's list.
std::vector<Task> ptx_tasks(Bench& bench, const std::vector<Arch>& known,
                            const std::vector<std::optional<Arch>>& archs);
// The same by cicc, without nvcc and its host compiler.
std::vector<Task> cicc_tasks(Bench& bench, const std::vector<Arch>& archs);
// Programs with the static and with the shared runtime, not run yet.
std::vector<Task> link_tasks(Bench& bench);
// The headers that one compile listed are used for all of them, and for `other`.
void share_headers(std::vector<Task>& ptx, Task* other);

}  // namespace ptxguard
