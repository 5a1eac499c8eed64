// Packages that are built from a repository: `pip install git+URL@REF`, and in a folder that the recipe
// clones.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "facts/recipe_tables.hpp"
#include "recipes/base/recipe.hpp"

namespace ptxguard::recipes {

// Canonical: "tiny-cuda-nn" for
// "git+https://github.com/NVlabs/tiny-cuda-nn.git@v2.0#subdirectory=bindings/torch".
std::string repository_of(const std::string& url);
// The row of a package with device code; null if the repository is not known.
const DeviceSources* source_of(const std::string& url, const Facts& facts);
// "v0.6.3"; empty = the default branch.
std::string ref_of(const std::string& url);
// Whether it names the default branch, as far as the name shows it.
bool is_default_branch(const std::string& ref);

// The step with the packages and releases of known repositories in its requirements. Projects of the other
// repositories stay projects.
PipInstall with_sources(PipInstall step, const Facts& facts);

}  // namespace ptxguard::recipes
