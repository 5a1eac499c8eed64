// `lint --fix` and `--diff`: rewrites pins for which a finding offers exactly one replacement. Inner header
// of the room.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "commands/linting.hpp"
#include "judge/judge.hpp"
#include "model/finding.hpp"

namespace ptxguard {

// A text that replaces bytes of a line.
struct Rewrite {
    std::size_t begin = 0, end = 0;  // offsets in the file
    std::string by;
    Location at = {};  // of the first byte; columns count bytes
};

struct TextWithLines {
    TextWithLines(std::string text_);
    std::string text;
    std::vector<std::size_t> starts;  // of its lines; columns count after a byte order mark
};

using TextOfFile = std::function<const TextWithLines*(const std::string& file)>;  // null: unreadable

// What the only fix of `finding` changes: the plain pin or image of that name, at the place of the finding or
// of one of its values. Nothing if there is none (a variable, a range, another spelling), or more than one.
std::optional<Rewrite> rewrite_of(const Finding& finding, const TextOfFile& text_of);
// Skips those that change the same bytes, unless they are equal.
std::string rewritten(const std::string& text, std::vector<Rewrite> rewrites);
// The changed lines of a file in the format of `diff -u`.
std::string unified_diff(const std::string& file, const std::string& before, const std::string& after);

// Which fixes of `lint --fix` are applied: those that cause no more errors.

using Texts = std::map<std::string, std::string>;  // by file

struct Trials {
    std::function<Linting(const Texts&)> read;  // all recipes, with these texts instead of the files
    std::function<Judgement(Linting&)> judged;
    std::function<bool(const std::string& file)> may_change;
};
// The files with fixes that are applied.
struct FixedTexts {
    Texts before, after;
    std::map<std::string, std::size_t> findings;  // that are fixed, by file
};
FixedTexts fixed_texts(const Trials& trials);
// What `--fix` would do about each finding, in its first fix: Fix::edit, with columns that count bytes.
void add_edits(const Linting& linting, const Trials& trials, std::vector<Finding>& findings);

}  // namespace ptxguard
