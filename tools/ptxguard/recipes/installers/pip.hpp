// Commands of Python's package managers: pip, uv, poetry, pdm, pipx.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include "recipes/base/inherited.hpp"

namespace ptxguard::recipes {

// The command's first word is the tool ("pip", "/opt/venv/bin/pip3.11", "uv"). Nothing if it installs
// nothing.
std::optional<PipInstall> read_pip_command(const Command& command, const ReadFile& files,
                                           const Inherited& inherited);
// The first word of the program of `uv run PROGRAM`; 0 = another command.
std::size_t begin_of_uv_run(const std::vector<Written>& words);

}  // namespace ptxguard::recipes
