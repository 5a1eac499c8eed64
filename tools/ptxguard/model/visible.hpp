// One character of UTF-8 text.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace ptxguard {

struct Letter {
    std::uint32_t code = 0;
    std::size_t bytes = 0;  // 0: not UTF-8
};

// At text[at], which exists.
Letter letter_at(std::string_view text, std::size_t at);
void add_utf8(std::string& text, std::uint32_t code);

// What text from outside (file names, output of other programs, strings in binaries) may look like when it
// leaves the program: nothing in it moves a cursor, hides or reorders text, forges a line or commands a CI
// system. The one place that decides this: every report, message and diff passes these functions, and JSON
// is written with next_unsafe(). HTML, XML and markdown quote their result.

// What may not leave as it is: a control character, a mark of text direction, a Unicode line separator, a
// byte that is not UTF-8, or the first character of a command that CI systems read anywhere in a line
// ("##vso[", "##[").
struct Unsafe {
    std::size_t at = 0;  // the text's size: there is none
    Letter letter;       // of 0 bytes: the byte at `at` is not UTF-8
};
Unsafe next_unsafe(std::string_view text, std::size_t from);

// One line: what is unsafe becomes \n, \x1b, \u202e, \x23. A "::" at the start, which commands GitHub, too.
std::string visible(std::string_view text);
// A whole report: as visible(), but keeps line breaks and, if it has any, our colours.
std::string visible_lines(std::string_view report, bool colors);
// Lines of a text file: as visible_lines(), but keeps tabs and "\r\n".
std::string visible_source(std::string_view lines);

}  // namespace ptxguard
