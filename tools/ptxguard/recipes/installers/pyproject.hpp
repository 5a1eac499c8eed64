// pyproject.toml: what a project and its groups require, by PEP 621 and PEP 735, poetry, uv, pdm and hatch.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "recipes/base/inherited.hpp"

namespace ptxguard::recipes {

// One stage for what is always installed, one for each extra, group and hatch environment together with it,
// and one for [build-system] (not `last`).
Recipe read_pyproject(const std::string& file, std::string_view text, const ReadFile& files);

// Adds the requirements in the pyproject.toml of each of `install.projects` (".[gpu]" and `extras`, which are
// extras or groups), with its indexes. A uv.lock or poetry.lock beside it determines the releases, if it has
// one of each.
void add_projects(PipInstall& install, const std::vector<std::string>& extras, const ReadFile& files,
                  const Inherited& inherited);

}  // namespace ptxguard::recipes
