// Text files as found on real machines: a byte order mark, CRLF, invalid encodings, or not text at all.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace ptxguard {

// Lines without their ends ("\n", "\r\n", "\r") and without a UTF-8 byte order mark; line N is element N - 1.
// Removes the first line from a text; it ends with \n, \r\n or \r.
std::string_view take_line(std::string_view& text);
std::vector<std::string_view> lines_of(std::string_view text);
// UTF-8: the bytes of the first `count` characters of a line (after 2,000 characters: `count`), and the
// characters of a text.
std::size_t bytes_of(std::string_view line, std::size_t count);
std::size_t characters_of(std::string_view text);
std::string_view without_mark(std::string_view text);
// Why this cannot be a text file ("holds NUL bytes", "is UTF-16"); "" if it can.
std::string why_not_text(std::string_view bytes);
std::optional<std::uint64_t> decimal(std::string_view text);  // up to 18 digits

}  // namespace ptxguard
