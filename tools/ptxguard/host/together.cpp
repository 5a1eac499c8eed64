// SPDX-License-Identifier: Apache-2.0
#include "host/together.hpp"

#include <algorithm>
#include <atomic>
#include <exception>
#include <mutex>

#include "host/host.hpp"
#include "host/thread.hpp"

namespace ptxguard {

void run_together(const std::vector<std::function<void()>>& tasks) {
    std::mutex mutex;
    std::exception_ptr first;
    const auto guarded = [&](const std::function<void()>& task) {
        try {
            task();
        } catch (...) {
            const std::lock_guard<std::mutex> lock(mutex);
            if (!first) first = std::current_exception();
        }
    };
    std::vector<Thread> threads;
    threads.reserve(tasks.size());
    std::size_t next = 1;
    try {
        for (; next < tasks.size(); ++next)
            threads.emplace_back([&guarded, &task = tasks[next]] { guarded(task); });
    } catch (const std::exception&) {
        // No more threads, or no memory for one: the rest is done here.
    }
    if (!tasks.empty()) guarded(tasks.front());
    for (; next < tasks.size(); ++next) guarded(tasks[next]);
    for (Thread& thread : threads) thread.join();
    if (first) std::rethrow_exception(first);
}

void run_for_each(std::size_t count, const std::function<void(std::size_t)>& work) {
    constexpr std::size_t k_most = 8;
    std::atomic<std::size_t> next{0};
    const auto some = [&] {
        for (std::size_t i = next++; i < count; i = next++) work(i);
    };
    const std::size_t workers = std::min<std::size_t>(own::cores(), k_most);
    run_together(std::vector<std::function<void()>>(std::min(workers, count), some));
}

}  // namespace ptxguard
