// SPDX-License-Identifier: Apache-2.0
#include "formats/header_defines.hpp"

#include <doctest/doctest.h>

using namespace ptxguard;

TEST_CASE("defines lose their quotes and comments and keep their line") {
    const auto all = read_header_defines(
        "/* #define OLD 1\n#define HIDDEN 2 */\n#define A \"12.2\" // twelve\r\n# define LIST 50, "
        "60\n#define EMPTY\n#define PATH \"http://x\"\n");
    REQUIRE(all.size() == 4);
    CHECK(all[0].name == "A");
    CHECK(all[0].value == "12.2");
    CHECK(all[0].line == 3);
    CHECK(all[1].value == "50, 60");
    CHECK(all[2].value.empty());
    CHECK(all[3].value == "http://x");
}

TEST_CASE("a define is a number if it has up to eight digits and nothing else") {
    CHECK(defined_number("#define A 12345678\n", "A") == 12345678);
    CHECK(defined_number("#define AB 1\n#define A x\n#define A 3\n#define A 4\n", "A") == 3);
    for (const char* other : {"123456789", "", "1L", "-1", "\"1"}) {
        const std::string text = std::string("#define A ") + other + "\n";
        CHECK_MESSAGE(!defined_number(text, "A"), text);
    }
}

TEST_CASE("other lines are not defines") {
    CHECK(read_header_defines("#undef A\n#defineA 1\ndefine B 2\n#\n").empty());
}
