// Texts from outside (names of files, words of other programs, strings in binaries) on a terminal and in a CI
// log: what would move the cursor, hide text, forge a line or command the CI system is written out instead.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

namespace ptxguard {

// One line: control characters, a line break among them, and bytes that are no UTF-8 as \n, \x1b, \u202e.
std::string visible(std::string_view text);

// A whole report: as visible(), but its line breaks stay, and so do its colours where it has some. What a CI
// system would take for a command ("::error::", "##vso[") is broken up.
std::string visible_lines(std::string_view report, bool colors);

}  // namespace ptxguard
