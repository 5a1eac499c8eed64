// A thread with room for our deepest recursion, also where the system's limit is small (ulimit -s). Private
// to this room.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <memory>

namespace ptxguard {

class Thread {
public:
    explicit Thread(
        std::function<void()> work);  // must not throw; std::system_error if there is no thread for it
    Thread(Thread&&) noexcept;
    ~Thread();
    void join();  // once, before the end of its life

private:
    struct Running;
    std::unique_ptr<Running> m_running;
};

}  // namespace ptxguard
