// SPDX-License-Identifier: Apache-2.0
#include "host/together.hpp"

#include <system_error>
#include <thread>

namespace ptxguard {

void run_together(const std::vector<std::function<void()>>& tasks) {
    std::vector<std::thread> threads;
    std::vector<const std::function<void()>*> left;
    for (const auto& task : tasks) {
        if (&task == &tasks.front()) continue;
        try {
            threads.emplace_back(task);
        } catch (const std::system_error&) {
            left.push_back(&task);
        }
    }
    if (!tasks.empty()) tasks.front()();
    for (const auto* task : left) (*task)();
    for (std::thread& thread : threads) thread.join();
}

}  // namespace ptxguard
