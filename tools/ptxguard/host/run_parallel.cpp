// Several child processes in parallel: a few threads, each of which starts one and waits for it.
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <atomic>

#include "host/platform.hpp"
#include "host/together.hpp"

namespace ptxguard::platform {

std::vector<ProcessResult> run_parallel(const std::vector<Command>& commands, unsigned jobs,
                                        const std::function<ProcessResult(const Command&)>& run) {
    std::vector<ProcessResult> results(commands.size());
    std::atomic<std::size_t> next{0};
    const auto work = [&] {
        for (std::size_t i; (i = next++) < commands.size();) {
            results[i] = run(commands[i]);
            if (commands[i].finished) commands[i].finished();
        }
    };
    const std::size_t wanted = std::min<std::size_t>(commands.size(), jobs ? jobs : own::cores());
    run_together(std::vector<std::function<void()>>(wanted, work));
    return results;
}

}  // namespace ptxguard::platform
