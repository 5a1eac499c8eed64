// Commands that install what a lock file lists: `pixi install`, `conda-lock install`, `pipenv sync`.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <vector>

#include "recipes/base/inherited.hpp"

namespace ptxguard::recipes {

// The steps of pixi and conda-lock; nothing for other commands, and without their file.
std::optional<std::vector<Step>> read_lock_command(const Command& command, const ReadFile& files,
                                                   const Inherited& inherited);
// The requirements of Pipfile.lock, or of Pipfile, in the working folder.
void add_pipfile(PipInstall& install, const ReadFile& files, const Inherited& inherited);

}  // namespace ptxguard::recipes
