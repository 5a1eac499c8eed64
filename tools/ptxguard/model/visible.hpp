// Text from outside (file names, output of other programs, strings in binaries) made safe for a terminal and
// a CI log: anything that would move the cursor, hide text, forge a line or command the CI system is escaped.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

namespace ptxguard {

// One line: control characters, including line breaks, and bytes that are not UTF-8 become \n, \x1b, \u202e.
std::string visible(std::string_view text);

// A whole report: as visible(), but keeps line breaks and, if it has any, colours. What a CI system would
// take for a command ("::error::", "##vso[") is broken up.
std::string visible_lines(std::string_view report, bool colors);

}  // namespace ptxguard
