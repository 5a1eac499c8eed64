// SPDX-License-Identifier: Apache-2.0
#include "recipes/interpret.hpp"

#include <doctest/doctest.h>

using namespace ptxguard::recipes;

TEST_CASE("a command that installs nothing stays a command") {
    const ReadFile no_files = [](const std::string&) { return std::nullopt; };
    CHECK(interpret({}, no_files).empty());
    Command nvcc;
    nvcc.words = {{"nvcc", "Dockerfile", 3, 5}, {"-arch=sm_75", "Dockerfile", 3, 10}};
    const auto steps = interpret(nvcc, no_files);
    REQUIRE(steps.size() == 1);
    REQUIRE(std::holds_alternative<Command>(steps.front()));
    CHECK(std::get<Command>(steps.front()).words[1].text == "-arch=sm_75");
}
