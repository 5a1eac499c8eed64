// SPDX-License-Identifier: Apache-2.0
#include "model/visible.hpp"

#include <doctest/doctest.h>

using namespace ptxguard;

TEST_CASE("plain text in any script stays as it is") {
    for (const char* text : {"", "C:\\R&D\\cl.exe", "größe → 図 😀", "a::b ## c"})
        CHECK(visible(text) == text);
}

TEST_CASE("characters that control a terminal are escaped") {
    CHECK(visible("a\nb\r\tc") == "a\\nb\\r\\tc");
    CHECK(visible("\x1b]52;c;x\a\x7f") == "\\x1b]52;c;x\\x07\\x7f");
    CHECK(visible(std::string("a\0b", 3)) == "a\\x00b");
    CHECK(visible("\xc2\x9b\xc2\xa0") == "\\u009b\xc2\xa0");
    CHECK(visible("\xe2\x80\xae\xe2\x81\xa9\xe2\x80\xaf") == "\\u202e\\u2069\xe2\x80\xaf");
}

TEST_CASE("bytes that are not UTF-8 are escaped") {
    CHECK(visible("\xff\xc0\x80") == "\\xff\\xc0\\x80");
    CHECK(visible("x\xe2\x82") == "x\\xe2\\x82");
    CHECK(visible("\xed\xa0\x80") == "\\xed\\xa0\\x80");
    CHECK(visible("\xf4\x90\x80\x80") == "\\xf4\\x90\\x80\\x80");
}

TEST_CASE("a report keeps its lines and its colours, if any") {
    CHECK(visible_lines("a\n\x1b[1;31mb\x1b[0m\x1b[32m\n", true) == "a\n\x1b[1;31mb\x1b[0m\x1b[32m\n");
    CHECK(visible_lines("\x1b[0m", false) == "\\x1b[0m");
    CHECK(visible_lines("\x1b[8m\x1b[", true) == "\\x1b[8m\\x1b[");
}

TEST_CASE("a report contains no command for a CI system") {
    CHECK(visible_lines("::error::x\n  \xc2\xa0::set-env::y", false) ==
          "\\x3a:error::x\n  \xc2\xa0\\x3a:set-env::y");
    CHECK(visible_lines("x ::error::", false) == "x ::error::");
    CHECK(visible_lines("a ##vso[task.x]##[error]##teamcity[x] # ## [", false) ==
          "a \\x23#vso[task.x]\\x23#[error]\\x23#teamcity[x] # ## [");
}
