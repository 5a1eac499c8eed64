// The values that list(), string() and math() of CMake set.
// SPDX-License-Identifier: Apache-2.0
#include "recipes/builds/cmake_effects.hpp"

#include <doctest/doctest.h>

#include <string>
#include <vector>

using namespace ptxguard::recipes;

namespace {

using CMakeWords = std::vector<std::string>;

std::string set_by_list(const CMakeWords& words, const std::string& list = "a;b;c") {
    const auto value = list_result(words, list);
    return value ? *value : "(not known)";
}

std::string set_by(const char* command, const CMakeWords& words) {
    const auto value = text_result(command, words);
    return value ? value->first + "=" + value->second : "(not known)";
}

}  // namespace

TEST_CASE("what list() makes of a list") {
    CHECK(set_by_list({"LENGTH", "L", "O"}) == "3");
    CHECK(set_by_list({"LENGTH", "L", "O"}, "") == "0");
    CHECK(set_by_list({"GET", "L", "0", "O"}) == "a");
    CHECK(set_by_list({"GET", "L", "2", "-3", "O"}) == "c;a");
    for (const char* outside : {"3", "-4", "x", "-", "10000"})
        CHECK_MESSAGE(set_by_list({"GET", "L", outside, "O"}) == "(not known)", outside);
    CHECK(set_by_list({"FIND", "L", "c", "O"}) == "2");
    CHECK(set_by_list({"FIND", "L", "d", "O"}) == "-1");
    CHECK(set_by_list({"JOIN", "L", "+", "O"}) == "a+b+c");
    CHECK(set_by_list({"REMOVE_ITEM", "L", "a", "c"}) == "b");
    CHECK(set_by_list({"REMOVE_DUPLICATES", "L"}, "a;b;a;b;a") == "a;b");
    CHECK(set_by_list({"REVERSE", "L"}) == "c;b;a");
    CHECK(set_by_list({"TRANSFORM", "L", "APPEND", "x"}, "a;b") == "ax;bx");
    CHECK(set_by_list({"TRANSFORM", "L", "PREPEND", "x"}, "a;b") == "xa;xb");
    CHECK(set_by_list({"SORT", "L"}, "b;a") == "a;b");
    CHECK(set_by_list({"POP_BACK", "L"}) == "a;b");
    CHECK(set_by_list({"POP_FRONT", "L"}) == "b;c");
    for (const CMakeWords& other :
         {CMakeWords{"SORT", "L", "ORDER", "DESCENDING"}, CMakeWords{"POP_BACK", "L", "O"},
          CMakeWords{"TRANSFORM", "L", "TOUPPER"}, CMakeWords{"TRANSFORM", "L", "REPLACE", "a"},
          CMakeWords{"FILTER", "L", "INCLUDE", "REGEX", "a"}})
        CHECK_MESSAGE(set_by_list(other) == "(not known)", other[0]);
    for (const char* pop : {"POP_BACK", "POP_FRONT"}) CHECK(set_by_list({pop, "L"}, "") == "(not known)");
    CHECK(list_target({"GET", "L", "0", "O"}) == "O");
    CHECK(list_target({"APPEND", "L"}) == "L");
    CHECK_FALSE(list_target({"APPEND"}));
}

TEST_CASE("what string() and math() set") {
    CHECK(set_by("string", {"STRIP", " a b ", "O"}) == "O=a b");
    CHECK(set_by("string", {"TOUPPER", "aB", "O"}) == "O=AB");
    CHECK(set_by("string", {"TOLOWER", "aB", "O"}) == "O=ab");
    CHECK(set_by("string", {"CONCAT", "O", "a", "b"}) == "O=ab");
    CHECK(set_by("string", {"JOIN", "-", "O", "a", "b"}) == "O=a-b");
    CHECK(set_by("string", {"JOIN", "-", "O"}) == "O=");
    CHECK(set_by("string", {"REPLACE", ".", "", "O", "9.0;", "10.0"}) == "O=90;100");
    CHECK(set_by("string", {"REPLACE", "", "x", "O", "a"}) == "O=a");
    CHECK(set_by("string", {"REPLACE", ".", "", "O"}) == "(not known)");
    CHECK(set_by("string", {"LENGTH", "abc", "O"}) == "(not known)");
    CHECK(set_by("string", {"STRIP", "a"}) == "(not known)");
    CHECK(set_by("math", {"EXPR", "O", "7 * 10 + 5"}) == "O=75");
    CHECK(set_by("math", {"EXPR", "O", "x"}) == "(not known)");
    CHECK(set_by("math", {"OTHER", "O", "1"}) == "(not known)");
    // What a short call would make larger than any value of a build is not made.
    const std::string kilobyte(1024, 'a');
    CHECK(set_by("string", {"REPLACE", "a", kilobyte, "O", kilobyte}).size() == 2 + (1u << 20));
    CHECK(set_by("string", {"REPLACE", "a", kilobyte, "O", kilobyte + "a"}) == "(not known)");
}
