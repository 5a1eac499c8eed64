// SPDX-License-Identifier: Apache-2.0
#include "facts/plan_table.hpp"

#include "given.hpp"

namespace ptxguard {

TEST_CASE("packages that are no framework name what to plan instead") {
    const auto table = read_plan_table(Facts::embedded());
    REQUIRE(table);
    const PlanName* cpu = table->named("onnxruntime");
    REQUIRE(cpu);
    CHECK(cpu->plan == "onnxruntime-gpu");
    CHECK(cpu->same_release);
    CHECK(table->named("tensorflow-metal")->plan.empty());
    CHECK_FALSE(table->named("torch"));
}

TEST_CASE("words for a system are those for all frameworks and those for one") {
    const auto table = read_plan_table(Facts::embedded());
    REQUIRE(table);
    CHECK(table->on("macos", "PyTorch").size() == 2);
    CHECK(table->on("macos", "CuPy").size() == 1);
    CHECK(table->on("windows", "PyTorch").empty());
    CHECK(table->on("windows", "JAX").size() == 1);
}

TEST_CASE("a free-threaded wheel is one of its Python and within its releases") {
    const auto table = read_plan_table(Facts::embedded());
    REQUIRE(table);
    const auto has = [&](const char* package, const char* version, const char* python) {
        return table->has_wheel(package, *parse_version(version), python);
    };
    CHECK(has("torch", "2.9.0", "3.14t"));
    CHECK_FALSE(has("torch", "2.8.0", "3.14t"));
    CHECK(has("torch", "2.12.0", "3.13t"));
    CHECK_FALSE(has("torch", "2.13.0", "3.13t"));
    CHECK_FALSE(has("tensorflow", "2.21.0", "3.13t"));
}

TEST_CASE("boards are found by their architecture, with any suffix") {
    const auto table = read_plan_table(Facts::embedded());
    REQUIRE(table);
    REQUIRE(table->board(Arch{87, 0}));
    CHECK(table->board(Arch{87, 0})->index.find("jp6") != std::string::npos);
    CHECK(table->board(Arch{110, 'a'}));
    CHECK_FALSE(table->board(Arch{86, 0}));
}

TEST_CASE("a damaged table of answers is an error with its file") {
    const auto table = read_plan_table(Facts::with({{"plan.json", R"({"names": [{"names": ["x"]}]})"}}));
    REQUIRE_FALSE(table);
    CHECK(table.trouble().text().find("plan.json") != std::string::npos);
}

}  // namespace ptxguard
