// Commands of conda, mamba and micromamba.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <vector>

#include "recipes/base/inherited.hpp"

namespace ptxguard::recipes {

// Steps of install, create, update, `env create` and `config --add channels`; a file's `pip:` list is a
// separate step. Nothing for other commands.
std::optional<std::vector<Step>> read_conda_command(const Command& command, const ReadFile& files,
                                                    const Inherited& inherited);

}  // namespace ptxguard::recipes
