// SPDX-License-Identifier: Apache-2.0
#include "host/thread.hpp"

#include <algorithm>
#include <system_error>

#include <pthread.h>
#include <sys/resource.h>

#include "host/main_arguments.hpp"

namespace ptxguard {

namespace {

constexpr std::size_t k_least_stack = 1u << 20;  // musl's threads have 128 KiB

}  // namespace

struct Thread::Running {
    std::function<void()> work;
    pthread_t thread;
};

Thread::Thread(std::function<void()> work) : m_running(new Running{std::move(work), {}}) {
    pthread_attr_t attributes;
    std::size_t stack = 0;
    ::pthread_attr_init(&attributes);
    ::pthread_attr_getstacksize(&attributes, &stack);  // the limit for stacks
    ::pthread_attr_setstacksize(&attributes, std::max(stack, k_least_stack));
    const auto run = [](void* what) -> void* {
        static_cast<Running*>(what)->work();
        return nullptr;
    };
    const int error = ::pthread_create(&m_running->thread, &attributes, run, m_running.get());
    ::pthread_attr_destroy(&attributes);
    if (error != 0) throw std::system_error(error, std::generic_category());
}

Thread::Thread(Thread&&) noexcept = default;

Thread::~Thread() = default;

void Thread::join() { ::pthread_join(m_running->thread, nullptr); }

int with_enough_stack(const std::function<int()>& work) {
    rlimit limit{};
    if (::getrlimit(RLIMIT_STACK, &limit) != 0 || limit.rlim_cur >= k_least_stack) return work();
    int result = 0;
    try {
        Thread thread([&] { result = work(); });
        thread.join();
    } catch (const std::system_error&) {
        return work();
    }
    return result;
}

}  // namespace ptxguard
