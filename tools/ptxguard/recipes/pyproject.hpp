// pyproject.toml: what a project and its groups ask for, by PEP 621 and PEP 735, poetry, uv, pdm and hatch.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "recipes/interpret.hpp"

namespace ptxguard::recipes {

// One stage for what is installed in any case, one for each extra, group and environment of hatch, together
// with it, and one for [build-system] (not `last`).
Recipe read_pyproject(const std::string& file, std::string_view text, const ReadFile& files);

// Adds what the pyproject.toml of each of `install.projects` asks for (".[gpu]" and `extras`, which are
// extras or groups), with its indexes. A uv.lock or poetry.lock beside it decides the releases, where it has
// one of each.
void add_projects(PipInstall& install, const std::vector<std::string>& extras, const ReadFile& files,
                  const Inherited& inherited);

}  // namespace ptxguard::recipes
