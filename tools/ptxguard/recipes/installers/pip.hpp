// Commands of Python's package managers: pip, uv, poetry, pdm, pipx.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>

#include "recipes/base/inherited.hpp"

namespace ptxguard::recipes {

// The command's first word is the tool ("pip", "/opt/venv/bin/pip3.11", "uv"). Nothing if it installs
// nothing.
std::optional<PipInstall> read_pip_command(const Command& command, const ReadFile& files,
                                           const Inherited& inherited);

}  // namespace ptxguard::recipes
