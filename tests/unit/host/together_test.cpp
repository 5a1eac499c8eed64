// SPDX-License-Identifier: Apache-2.0
#include "host/together.hpp"

#include <doctest/doctest.h>

#include <atomic>

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
