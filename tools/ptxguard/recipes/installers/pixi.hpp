// pixi.toml, [tool.pixi] of pyproject.toml, pixi.lock.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "formats/tree.hpp"
#include "recipes/base/inherited.hpp"

namespace ptxguard::recipes {

// What the [project] of a pyproject.toml adds to an environment with these features.
using ProjectRequirements = std::function<void(const std::vector<std::string>& features, PipInstall&)>;
// One stage for each environment for Linux or Windows, with its features and tasks.
void read_pixi_tables(const Tree& root, Recipe& recipe, const ReadFile& files,
                      const ProjectRequirements& project = {});
Recipe read_pixi_manifest(const std::string& file, std::string_view text, const ReadFile& files);
// One stage for each environment and platform.
Recipe read_pixi_lock(const std::string& file, std::string_view text);

}  // namespace ptxguard::recipes
