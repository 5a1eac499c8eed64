// Commands of conda, mamba and micromamba.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <vector>

#include "recipes/interpret.hpp"

namespace ptxguard::recipes {

// What install, create, update, `env create` and `config --add channels` do; a file's `pip:` list is a step
// of its own. Nothing: the command does none of these.
std::optional<std::vector<Step>> read_conda_command(const Command& command, const ReadFile& files,
                                                    const Inherited& inherited);

}  // namespace ptxguard::recipes
