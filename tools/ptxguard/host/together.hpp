// Pieces of work that do not wait for each other.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <functional>
#include <vector>

namespace ptxguard {

// Does them all at the same time, the first in the caller's thread, and returns when all are done; then
// throws the first exception that one of them threw. Where no thread can be had, they are done one after the
// other.
void run_together(const std::vector<std::function<void()>>& tasks);
// work(0) .. work(count - 1), on as many threads as there are processors, eight at most.
void run_for_each(std::size_t count, const std::function<void(std::size_t)>& work);

}  // namespace ptxguard
