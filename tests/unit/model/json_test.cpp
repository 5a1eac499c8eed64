// SPDX-License-Identifier: Apache-2.0
#include "model/json.hpp"

#include <doctest/doctest.h>

using namespace ptxguard;

TEST_CASE("JSON keeps the order of its members and writes the same text") {
    const char* text = R"({"b":1,"a":[true,null,"x\"y",1.5],"c":{}})";
    CHECK(to_text(*parse_json(text, "t"), -1) == text);
}

TEST_CASE("readers give a default for members that are missing or of another type") {
    Json json = *parse_json(R"({"n":7,"s":"x"})", "t");
    CHECK(json["n"].as_int() == 7);
    CHECK(json["s"].as_int(3) == 3);
    CHECK(json["missing"]["deeper"].as_string().empty());
    CHECK(json["s"].items().empty());
}

TEST_CASE("errors name the subject and the line") {
    auto json = parse_json("{\n\"a\": 1,\n}", "facts/x.json");
    REQUIRE(!json);
    CHECK(json.trouble().subject == "facts/x.json");
    CHECK(json.trouble().what == "is not valid JSON in line 3");
    CHECK(!parse_json("", "empty"));
    CHECK(!parse_json("{} {}", "two"));
    CHECK(!parse_json(std::string(100000, '['), "deep"));
}

TEST_CASE("invalid JSON is refused, and unusual numbers and strings are read") {
    for (const char* text : {"[1,]", "{\"a\":1,}", "{\"a\" 1}", "{a:1}",    "[1 2]", "tru", "truex", "[01]",
                             "[-]",  "[+1]",       "[1.]",      "\"a\nb\"", "\"a",   "{",   "[1}",   "",
                             " ",    "[\"\x01\"]", "[1e]",      "{\"a\":}", "[nul]", "--1"}) {
        CAPTURE(text);
        CHECK(!parse_json(text, "t"));
    }
    CHECK(parse_json("[-0]", "t"));
    CHECK((*parse_json("[12345678901234567890123]", "t")).items().front().kind() == Json::Kind::real);
    CHECK((*parse_json("[1e2]", "t")).items().front().as_real() == 100);
    CHECK((*parse_json("\"\xc3\xa4\"", "t")).as_string() == "\xc3\xa4");
    CHECK(parse_json(std::string(150, '[') + std::string(150, ']'), "t"));
    CHECK(!parse_json("\"\xff\"", "t"));
}

TEST_CASE("bytes that are not UTF-8 do not break the writer") {
    CHECK(to_text(Json::object().set("k", std::string("a\xff") + "b"), -1) ==
          "{\"k\":\"a\xef\xbf\xbd"
          "b\"}");
}

TEST_CASE("what a terminal or a CI system would obey is written as an escape, and read back unchanged") {
    const auto written = [](const std::string& text) { return to_text(Json(text), -1); };
    CHECK(written("\x01\x0f\x10\x1b\x1f\x7f") == R"("\u0001\u000f\u0010\u001b\u001f\u007f")");
    CHECK(written("\b\f\n\r\t\"\\/") == R"("\b\f\n\r\t\"\\/")");
    CHECK(written("\xc2\x9b\xd8\x9c\xe2\x80\xa8\xe2\x81\xa6") == R"("\u009b\u061c\u2028\u2066")");
    CHECK(written("a ##vso[x ##[y ###z") == R"("a \u0023#vso[x \u0023#[y ###z")");
    const std::string all = std::string("\0::\xc2\x80\xe2\x80\xae##teamcity[\n\xf0\x9f\x98\x80\"", 25);
    const Json json = Json::object().set(all, all);
    const Json again = *parse_json(to_text(json), "t");
    CHECK(again.members().front().first == all);
    CHECK(again[all].as_string() == all);
}

TEST_CASE("of equal keys the last value counts, in the place of the first") {
    const Json json = *parse_json(R"({"a":1,"b":2,"a":{"c":3},"b":[4]})", "t");
    CHECK(to_text(json, -1) == R"({"a":{"c":3},"b":[4]})");
}

TEST_CASE("an object of very many members costs no more per member") {
    std::string text = "{";
    for (int i = 0; i < 200000; ++i) text += (i == 0 ? "\"" : ",\"") + std::to_string(i) + "\":1";
    text += ",\"0\":2}";
    const auto json = parse_json(text, "t");
    REQUIRE(json);
    CHECK(json->size() == 200000);
    CHECK((*json)["0"].as_int() == 2);
    CHECK(to_text(*json, -1).size() == text.size() - 6);
}

TEST_CASE("with an indent each value has its own line, and an empty one has none") {
    const Json json = *parse_json(R"({"a":[1,[],{}],"b":{"c":"\u0007","d":-0.5}})", "t");
    CHECK(to_text(json) ==
          "{\n  \"a\": [\n    1,\n    [],\n    {}\n  ],\n  \"b\": {\n    \"c\": \"\\u0007\",\n    \"d\": "
          "-0.5\n  }\n}");
}
