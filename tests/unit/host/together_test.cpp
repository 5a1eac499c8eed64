// SPDX-License-Identifier: Apache-2.0
#include "host/together.hpp"

#include <doctest/doctest.h>

#include <atomic>
#include <new>

using namespace ptxguard;

TEST_CASE("all pieces of work are done when it returns") {
    std::atomic<int> done{0};
    const auto task = [&] { ++done; };
    run_together({});
    CHECK(done == 0);
    run_together({task});
    CHECK(done == 1);
    run_together(std::vector<std::function<void()>>(20, task));
    CHECK(done == 21);
}

TEST_CASE("an exception in one piece of work reaches the caller when all are done") {
    for (const std::size_t which : {0, 1, 19}) {
        std::atomic<int> done{0};
        std::vector<std::function<void()>> tasks(20, [&] { ++done; });
        tasks[which] = [] { throw std::bad_alloc(); };
        CHECK_THROWS_AS(run_together(tasks), std::bad_alloc);
        CHECK(done == 19);
    }
}
