// `lint --fix` and `--diff`: rewrites pins for which a finding offers exactly one replacement. Inner header
// of the room.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "model/finding.hpp"

namespace ptxguard {

// A text that replaces bytes of a line.
struct Rewrite {
    std::size_t begin = 0, end = 0;  // offsets in the file
    std::string by;
};

struct TextWithLines {
    TextWithLines(std::string text_);
    std::string text;
    std::vector<std::size_t> starts;  // of its lines; columns count after a byte order mark
};

// What the only fix of `finding` changes in `text`, the file of its location. Nothing if the place is not a
// plain pin of the same name: a variable, a range, another spelling.
std::optional<Rewrite> rewrite_of(const Finding& finding, const TextWithLines& text);
// Skips those that change the same bytes, unless they are equal.
std::string rewritten(const std::string& text, std::vector<Rewrite> rewrites);
// The changed lines of a file in the format of `diff -u`.
std::string unified_diff(const std::string& file, const std::string& before, const std::string& after);

}  // namespace ptxguard
