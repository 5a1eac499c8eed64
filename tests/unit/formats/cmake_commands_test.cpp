// SPDX-License-Identifier: Apache-2.0
#include "formats/cmake_commands.hpp"

#include <doctest/doctest.h>

using namespace ptxguard;

TEST_CASE("commands come with their arguments and places, comments do not") {
    const auto all = read_cmake_commands(
        "# set(A 1)\n#[[ set(B\n2) ]]\nSET(TORCH_CXX_FLAGS \"-D_X=0\") # end\nset_target_properties(torch "
        "PROPERTIES\n    CXX_STANDARD 17\n)\n");
    REQUIRE(all.size() == 2);
    CHECK(all[0].name == "set");
    CHECK(all[0].arguments == std::vector<std::string>{"TORCH_CXX_FLAGS", "-D_X=0"});
    CHECK(all[0].line == 4);
    CHECK(all[0].column == 1);
    CHECK(all[0].columns == std::vector<int>{5, 22});  // after the quote
    CHECK(all[1].arguments == std::vector<std::string>{"torch", "PROPERTIES", "CXX_STANDARD", "17"});
    CHECK(all[1].lines[3] == 6);
    CHECK(all[1].columns[3] == 18);
}

TEST_CASE("nested parentheses, bracket arguments and escapes are one command") {
    const auto all = read_cmake_commands("if((A OR B) AND NOT [==[x)]] y]==])\nset(P \"a\\\"b\" c\\ d)\n");
    REQUIRE(all.size() == 2);
    CHECK(all[0].arguments == std::vector<std::string>{"(", "A", "OR", "B", ")", "AND", "NOT", "x)]] y"});
    CHECK(all[1].arguments == std::vector<std::string>{"P", "a\"b", "c\\ d"});
}

TEST_CASE("an unfinished command and noise give nothing") {
    CHECK(read_cmake_commands("set(A ").empty());
    CHECK(read_cmake_commands("set(A \"").empty());
    CHECK(read_cmake_commands(")((\x01 \" [[").empty());
    CHECK(read_cmake_commands("").empty());
}

TEST_CASE("the items of a foreach are words and names of lists") {
    const auto items = [](const std::string& arguments) {
        const auto found = foreach_items(read_cmake_commands("foreach(" + arguments + ")").front());
        std::string text;
        if (!found) return std::string("open");
        for (const ForeachItem& one : *found)
            text += (text.empty() ? "" : " ") + std::to_string(one.argument) + (one.list ? "*" : "");
        return text;
    };
    CHECK(items("A 50 60") == "1 2");
    CHECK(items("A LISTS") == "1");
    CHECK(items("A IN LISTS X Y ITEMS 50") == "3* 4* 6");
    CHECK(items("A IN ITEMS 50 LISTS X") == "3 5*");
    CHECK(items("A") == "");
    CHECK(items("A RANGE 3") == "open");
    CHECK(items("A B IN ZIP_LISTS X Y") == "open");
}
