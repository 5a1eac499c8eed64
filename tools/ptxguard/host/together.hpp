// Independent pieces of work in parallel.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <functional>
#include <vector>

namespace ptxguard {

// Runs all tasks in parallel, the first in the caller's thread, and returns when all are done; then throws
// the first exception that one of them threw. If no thread can be created, they run one after the other.
void run_together(const std::vector<std::function<void()>>& tasks);
// work(0) .. work(count - 1), on as many threads as there are processors, at most eight.
void run_for_each(std::size_t count, const std::function<void(std::size_t)>& work);

}  // namespace ptxguard
