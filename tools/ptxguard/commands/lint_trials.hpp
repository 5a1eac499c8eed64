// Which fixes of `lint --fix` are applied: those that cause no more errors. Inner header of the room.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <map>
#include <string>

#include "commands/linting.hpp"
#include "judge/judge.hpp"

namespace ptxguard {

using Texts = std::map<std::string, std::string>;  // by file

struct Trials {
    std::function<Linting(const Texts&)> read;  // all recipes, with these texts instead of the files
    std::function<Judgement(Linting&)> judged;
    std::function<bool(const std::string& file)> may_change;
};
// The files with fixes that are applied.
struct FixedTexts {
    Texts before, after;
    std::size_t findings = 0;  // that are fixed
};
FixedTexts fixed_texts(const Trials& trials);
// What `--fix` would do about each finding, in its first fix: Fix::edit, with columns that count bytes.
void add_edits(const Linting& linting, const Trials& trials, std::vector<Finding>& findings);

}  // namespace ptxguard
