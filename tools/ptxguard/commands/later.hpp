// --later: one configure of CMake calls `check` when find_package() runs, when CUDA is enabled and at the
// end, and each call leaves to the next what it cannot know.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <set>
#include <string>
#include <vector>

#include "commands/settings.hpp"
#include "model/scenario.hpp"

namespace ptxguard {

// WHAT: a word of --later.
bool decides_later(const Settings& settings, const std::string& what);
// Rules whose findings may change with the compiler that CMake will use. What a framework needs from its own
// packages does not.
std::set<std::string> rules_for_later(const Settings& settings);
// The scenarios without a list of architectures that is only known later.
std::vector<Scenario> judged_now(const std::vector<Scenario>& found, const Settings& settings);

}  // namespace ptxguard
