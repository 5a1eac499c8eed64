// Several child processes in parallel: a few threads, each of which starts one and waits for it.
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <atomic>
#include <system_error>
#include <thread>

#include "host/platform.hpp"

namespace ptxguard::platform {

std::vector<ProcessResult> run_parallel(const std::vector<Command>& commands, unsigned jobs,
                                        const std::function<ProcessResult(const Command&)>& run) {
    std::vector<ProcessResult> results(commands.size());
    std::atomic<std::size_t> next{0};
    const auto work = [&] {
        for (std::size_t i; (i = next++) < commands.size();) results[i] = run(commands[i]);
    };
    const std::size_t wanted = std::min<std::size_t>(commands.size(), jobs ? jobs : own::cores());
    std::vector<std::thread> threads;
    try {
        for (std::size_t i = 1; i < wanted; ++i) threads.emplace_back(work);
    } catch (const std::system_error&) {
        // No more threads available: those that run, and this one, do the work.
    }
    work();
    for (std::thread& thread : threads) thread.join();
    return results;
}

}  // namespace ptxguard::platform
