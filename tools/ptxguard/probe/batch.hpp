// Commands that run in parallel; each answer goes to its caller.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <utility>
#include <vector>

#include "host/host.hpp"

namespace ptxguard {

class Batch {
public:
    using Taker = std::function<void(const ProcessResult&)>;

    void add(Command command, Taker taker) {
        m_commands.push_back(std::move(command));
        m_takers.push_back(std::move(taker));
    }
    std::size_t size() const { return m_commands.size(); }

    // At most `jobs` in parallel (0 = number of cores). The batch is empty afterwards.
    void run(const Host& host, unsigned jobs = 0) {
        if (m_commands.empty()) return;
        const std::vector<ProcessResult> runs = host.run_all(m_commands, jobs);
        const std::vector<Taker> takers = std::move(m_takers);
        m_commands.clear();
        m_takers.clear();
        for (std::size_t i = 0; i < runs.size() && i < takers.size(); ++i) takers[i](runs[i]);
    }

private:
    std::vector<Command> m_commands;
    std::vector<Taker> m_takers;
};

}  // namespace ptxguard
