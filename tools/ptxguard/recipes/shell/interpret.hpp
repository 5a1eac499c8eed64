// What a command of a recipe does: `pip install`, `conda install`, `apt-get install` become separate steps;
// all other commands are kept. Nothing is run.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "recipes/base/inherited.hpp"

namespace ptxguard::recipes {

// The steps of `command`, in order. `files` reads files that it refers to (`-r FILE`).
std::vector<Step> interpret(const Command& command, const ReadFile& files, const Inherited& inherited);

}  // namespace ptxguard::recipes
