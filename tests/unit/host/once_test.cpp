// SPDX-License-Identifier: Apache-2.0
#include "host/once.hpp"

#include <doctest/doctest.h>

#include <atomic>
#include <thread>
#include <vector>

#include "host/host.hpp"
#include "host/paths.hpp"

using namespace ptxguard;

TEST_CASE("the build is the outermost build program, with only shells and wrappers between") {
    const own::Caller us{"ptxguard", "us"}, shell{"sh", "shell"}, ninja{"ninja", "ninja"};
    CHECK(own::build_among({us, shell, ninja, {"cmake", "cmake"}, {"bash", "script"}, {"python3", "ci"}}) ==
          "ninja");
    CHECK(own::build_among({us, shell, {"make", "inner"}, shell, {"gmake", "outer"}, {"sshd", "login"}}) ==
          "outer");
    // Our own run is one, too, so that it does not repeat what those in it have explained.
    CHECK(own::build_among({us, shell, ninja, {"ptxguard", "run"}, {"bash", "script"}}) == "run");
    // Two builds that somebody types are two, also in a shell that make has started.
    CHECK(own::build_among({us, ninja, {"bash", "typed", true}, {"make", "far"}}) == "ninja");
    CHECK(own::build_among({us, shell, {"python3", "pip"}, ninja}) == "us");
    CHECK(own::build_among({}).empty());
}

TEST_CASE("our own process is the first of the callers, and each has its identity") {
    const std::vector<own::Caller> callers = own::callers();
    REQUIRE(!callers.empty());
    CHECK(callers.front().program.find("unit_") == 0);
    for (std::size_t i = 1; i < callers.size(); ++i) CHECK(callers[i].identity != callers[i - 1].identity);
    CHECK(own::callers().front().identity == callers.front().identity);
}

TEST_CASE("of many that make the same mark one is the first") {
    const auto folder = own::temporary_folder();
    REQUIRE(folder);
    const std::string marks = join_path(*folder, "marks");
    std::atomic<int> first{0};
    std::vector<std::thread> threads;
    for (int i = 0; i < 8; ++i)
        threads.emplace_back([&] { first += own::first_to_mark(marks, "cause") ? 1 : 0; });
    for (std::thread& thread : threads) thread.join();
    CHECK(first == 1);
    CHECK(own::first_to_mark(marks, "other cause"));
    // Where there can be no mark, nothing is silent.
    CHECK(own::first_to_mark("", "cause"));
    REQUIRE(!own::write_file(join_path(*folder, "file"), "x"));
    for (int i = 0; i < 2; ++i) CHECK(own::first_to_mark(join_path(*folder, "file"), "cause"));
    own::remove_tree(*folder);
}
