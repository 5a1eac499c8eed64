// SPDX-License-Identifier: Apache-2.0
#include "model/serialize.hpp"

#include <doctest/doctest.h>

#include <functional>

#include "full_scenario.hpp"
#include "scenario_from_json.hpp"

using namespace ptxguard;

TEST_CASE("a scenario survives a round trip through JSON, member by member") {
    auto first = scenario_from_json(*parse_json(k_full_scenario, "test"));
    REQUIRE_MESSAGE(first, first.trouble().text());
    std::string text = to_text(to_json(*first));
    auto second = scenario_from_json(*parse_json(text, "test"));
    REQUIRE(second);
    CHECK(to_text(to_json(*second)) == text);
    // Nothing of the input is lost on the way.
    Json input = *parse_json(k_full_scenario, "test"), output = *parse_json(text, "test");
    std::function<void(const Json&, const Json&, const std::string&)> same = [&](const Json& a, const Json& b,
                                                                                 const std::string& at) {
        if (a.is_object() && a.size() == 0) return;  // an empty origin is left out
        CHECK_MESSAGE(a.kind() == b.kind(), at);
        for (const auto& [key, value] : a.members()) same(value, b[key], at + "/" + key);
        for (std::size_t i = 0; i < a.items().size(); ++i)
            if (i < b.items().size())
                same(a.items()[i], b.items()[i], at + "/" + std::to_string(i));
            else
                FAIL_CHECK(at << " lost an item");
        if (!a.is_object() && !a.is_array()) CHECK_MESSAGE(to_text(a) == to_text(b), at);
    };
    same(input, output, "");
}

TEST_CASE("a plain value stands for a known value without origin") {
    auto scenario = scenario_from_json(*parse_json(R"({"gpus":[{"name":"x","arch":"sm_90"}]})", "t"));
    REQUIRE(scenario);
    CHECK(scenario->gpus[0].arch->sm() == "sm_90");
}

TEST_CASE("a wrong word or value is an error that names the member") {
    auto text = [](const char* json) { return scenario_from_json(*parse_json(json, "t")).trouble().text(); };
    CHECK(text(R"({"system":"beos"})") == "scenario/system has the unknown word 'beos'");
    CHECK(text(R"({"gpus":[{"arch":"sm_x"}]})") == "scenario/gpus/0/arch has a value that cannot be read");
    CHECK(text(R"({"name":5})") == "scenario/name has a value that cannot be read");
    CHECK(text(R"([])") == "scenario is not an object");
}
