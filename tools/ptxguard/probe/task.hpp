// One run of nvcc.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "ask/questions.hpp"
#include "model/scenario.hpp"

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

}  // namespace ptxguard
