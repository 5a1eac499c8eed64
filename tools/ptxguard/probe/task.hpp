// One run of nvcc.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "ask/asker.hpp"
#include "ask/questions.hpp"
#include "model/probe.hpp"
#include "model/scenario.hpp"
#include "probe/compile.hpp"

namespace ptxguard {

// nvcc is a chain of short programs and waits between them: one more than cores keeps the cores busy.
constexpr unsigned k_beyond_cores = 1;

struct Task {
    ProbeKind kind = ProbeKind::ptx;
    std::optional<Arch> arch;
    std::string stem;              // of the PTX file that is written
    std::string program = "nvcc";  // that the question starts
    bool reads_headers = true;
    Question question;
    bool lists_headers = false;
    ProbeResult result;  // before the run: tool and target
    Answer answer;
    std::string ptx;
    bool done = false;  // by its own run
};

// Complete when the questions have run. Tasks must not move until then.
void add_tasks(const std::vector<Task*>& tasks, Questions& questions);
// Call this after the runs: on a full disk a compiler may report anything.
class FullDisk {
public:
    void excuse(ProbeResult& result, const Answer& answer);

private:
    std::optional<bool> m_room;
};
void excuse_full_disk(const std::vector<Task*>& tasks);
// Both, in parallel.
void run_tasks(const Asker& ask, const std::vector<Task*>& tasks);
// The object compile also wrote the PTX: then `ptx` needs no run.
bool take_kept_ptx(const Task& object, Task& ptx);
// A compile is cached only with the list of the headers that it read.
void keep_task(const Asker& ask, const Task& task);

// What can change the results of a toolkit's programs.

// The common part of questions to this toolkit, without a command.
Question toolkit_question(const Host& host, const Scenario& scenario, const Toolkit& toolkit,
                          const Compiler& compiler);
// A question to one file that nothing else affects (ptxas, a library).
Question file_question(const std::string& path, Command command, const std::string& asked);

// The newest PTX that a ptxas accepts: its refusal of an absurd version contains it.

// One result per program: `accepts_up_to`, or how it failed.
std::vector<ProbeResult> ptxas_limits(const Asker& ask, const std::vector<std::string>& programs,
                                      std::chrono::milliseconds limit);

}  // namespace ptxguard
