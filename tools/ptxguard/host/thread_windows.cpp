// The program file says how large the stacks are.
// SPDX-License-Identifier: Apache-2.0
#include "host/thread.hpp"

#include <thread>

#include "host/main_arguments.hpp"

namespace ptxguard {

struct Thread::Running {
    std::thread thread;
};

Thread::Thread(std::function<void()> work) : m_running(new Running{std::thread(std::move(work))}) {}

Thread::Thread(Thread&&) noexcept = default;

Thread::~Thread() = default;

void Thread::join() { m_running->thread.join(); }

int with_enough_stack(const std::function<int()>& work) { return work(); }

}  // namespace ptxguard
