// SPDX-License-Identifier: Apache-2.0
#include "model/visible.hpp"

#include <doctest/doctest.h>

#include <cstdint>
#include <iterator>

#include "harm.hpp"
#include "model/json.hpp"

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

TEST_CASE("exactly the characters that control, reorder or break text are escaped") {
    struct Range {
        std::uint32_t first, last;
    };
    const Range hidden[] = {{0, 0x1f},        {0x7f, 0x9f},     {0x61c, 0x61c},
                            {0x200e, 0x200f}, {0x2028, 0x202e}, {0x2066, 0x2069}};
    for (std::uint32_t code = 0; code < 0x10000; ++code) {
        if (code >= 0xd800 && code <= 0xdfff) continue;
        bool expected = false;
        for (const Range& range : hidden) expected = expected || (code >= range.first && code <= range.last);
        std::string letter;
        add_utf8(letter, code);
        const bool escaped = visible(letter) != letter;
        CHECK_MESSAGE(escaped == expected, code);
    }
}

TEST_CASE("an unsafe character is found at every place of a text") {
    for (const char* unsafe : {"\x1b", "\x7f", "\x1f", "\xc2\x85", "\xe2\x80\xa8", "\xff", "##["})
        for (std::size_t before = 0; before < 20; ++before)
            for (std::size_t after = 0; after < 10; ++after) {
                const std::string text = std::string(before, '~') + unsafe + std::string(after, ' ');
                CHECK(next_unsafe(text, 0).at == before);
            }
    const std::string plain = std::string(30, ' ') + "~~~#~~~~" + "\xc2\xa0" + "#";
    CHECK(next_unsafe(plain, 0).at == plain.size());
    CHECK(next_unsafe("\x1b", 1).at == 1);
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
    CHECK(visible_lines("\x1b[30m\x1b[37m\x1b[38m\x1b[1;3", true) == "\x1b[30m\x1b[37m\\x1b[38m\\x1b[1;3");
    CHECK(visible_lines("a\tb\r\nc", true) == "a\\tb\\r\nc");
}

TEST_CASE("a report contains no command for a CI system") {
    CHECK(visible_lines("::error::x\n  \xc2\xa0::set-env::y", false) ==
          "\\x3a:error::x\n  \xc2\xa0\\x3a:set-env::y");
    CHECK(visible_lines("x ::error::", false) == "x ::error::");
    CHECK(visible_lines("a ##vso[task.x]##[error]##teamcity[x] # ## [", false) ==
          "a \\x23#vso[task.x]\\x23#[error]\\x23#teamcity[x] # ## [");
    CHECK(visible_lines("###[ ##VSO[ ##vso2[", false) == "#\\x23#[ \\x23#VSO[ ##vso2[");
    CHECK(visible_lines(" \n\n\t::x\n::", false) == " \n\n\\t\\x3a:x\n\\x3a:");
    CHECK(visible_lines("\xe2\x80\xa8::x", false) == "\\u2028\\x3a:x");
}

TEST_CASE("one line contains no command for a CI system either") {
    CHECK(visible("::error::x") == "\\x3a:error::x");
    CHECK(visible("a\n::error::##vso[x") == "a\\n::error::\\x23#vso[x");
    CHECK(visible(" \n::x") == " \\n::x");
    CHECK(visible(" std::vector #1 ##") == " std::vector #1 ##");
}

TEST_CASE("lines of a file keep tabs and line ends, also of Windows") {
    CHECK(visible_source("\ta\r\n+b\n") == "\ta\r\n+b\n");
    CHECK(visible_source("a\r::x\r") == "a\\r::x\\r");
    CHECK(visible_source(" ::x\n+::x\n\t::y\n") == " \\x3a:x\n+::x\n\t\\x3a:y\n");
    CHECK(visible_source("\x1b[0m\f##vso[x") == "\\x1b[0m\\x0c\\x23#vso[x");
}

TEST_CASE("no text whatever does harm, and what is visible stays as it is") {
    const char* const pieces[] = {":",          "::",       "#",        "##",   "[",    "vso",
                                  "Teamcity",   " ",        "\n",       "\r",   "\t",   "\x1b[0m",
                                  "\x1b[1;31m", "\x7f",     "\xc2",     "\x9b", "\xe2", "\x80",
                                  "\xa8",       "\xc2\xa0", "\xd8\x9c", "\xff", "e",    "abcdefgh"};
    std::uint32_t state = 1;
    const auto next = [&] { return (state = state * 1664525 + 1013904223) >> 16; };
    for (int i = 0; i < 20000; ++i) {
        std::string text;
        for (std::uint32_t left = next() % 24; left > 0; --left) text += pieces[next() % std::size(pieces)];
        const std::string line = visible(text), lines = visible_lines(text, false),
                          json = to_text(Json(text));
        for (const std::string& shown : {line, lines, json}) CHECK(harm::of(shown, false) == "");
        CHECK(line.find('\n') == std::string::npos);
        CHECK(visible(line) == line);
        CHECK(visible_lines(lines, false) == lines);
        const std::string again = parse_json(json, "t")->as_string();
        CHECK(to_text(Json(again)) == json);
    }
}
