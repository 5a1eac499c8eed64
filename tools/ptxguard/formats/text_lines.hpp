// Text files as found on real machines: a byte order mark, CRLF, invalid encodings, or not text at all.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace ptxguard {

// Lines without their ends ("\n", "\r\n", "\r") and without a UTF-8 byte order mark; line N is element N - 1.
std::vector<std::string_view> lines_of(std::string_view text);
std::string_view without_mark(std::string_view text);
// Why this cannot be a text file ("holds NUL bytes", "is UTF-16"); "" if it can.
std::string why_not_text(std::string_view bytes);
// Without blanks at both ends.
std::string_view trimmed(std::string_view text);

}  // namespace ptxguard
