// SPDX-License-Identifier: Apache-2.0
#include "formats/text_lines.hpp"

#include <doctest/doctest.h>

#include <string>

using namespace ptxguard;

TEST_CASE("lines end in LF, CRLF or CR, and a byte order mark is not part of the first") {
    const auto lines = lines_of("\xEF\xBB\xBFone\r\ntwo\rthree\n\nfive");
    REQUIRE(lines.size() == 5);
    CHECK(lines[0] == "one");
    CHECK(lines[1] == "two");
    CHECK(lines[2] == "three");
    CHECK(lines[3].empty());
    CHECK(lines[4] == "five");
    CHECK(lines_of("").empty());
    CHECK(bytes_of("a\u00e9\u65e5b", 3) == 6);
    CHECK(bytes_of("ab", 9) == 2);
    CHECK(characters_of("a\u00e9\u65e5b") == 4);
}

TEST_CASE("long lines end at the same characters as short ones") {
    for (std::size_t length = 508; length < 517; ++length)
        for (const char* ending : {"\n", "\r", "\r\n"}) {
            const std::string line(length, 'x'), text = line + ending + line + line;
            const auto lines = lines_of(text);
            REQUIRE(lines.size() == 2);
            CHECK(lines[0] == line);
            CHECK(lines[1] == line + line);
        }
}

TEST_CASE("text of any one-byte encoding is text; UTF-16, NUL bytes and noise are not") {
    CHECK(why_not_text("cuda = '11.7'  # na\xEFve \xC3\xA4\n").empty());
    CHECK(why_not_text("").empty());
    CHECK(why_not_text(std::string("\xFF\xFE"
                                   "c\0u\0",
                                   6)) == "is UTF-16, not UTF-8");
    CHECK(why_not_text(std::string("\177ELF\2\1\1\0\0", 9)).find("NUL") != std::string::npos);
    CHECK(why_not_text("\t\n\r\f\n\t").empty());
    CHECK_FALSE(why_not_text("\b\v\x1f abcdefghijkl").empty());
    CHECK(why_not_text("\x01\x02\x03\x04garbage").find("control characters") != std::string::npos);
}
