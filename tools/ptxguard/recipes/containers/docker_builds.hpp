// Dockerfiles that other files build: docker build in scripts, Makefiles and jobs.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string>

#include "recipes/base/recipe.hpp"

namespace ptxguard::recipes {

// The stages from `first` belong to one build: the prefix keeps their names unique in the recipe.
void prefix_stages(Recipe& recipe, std::size_t first, const std::string& prefix);

// Appends the stages of each Dockerfile that a command of the recipe builds with arguments of its own.
// Without arguments the Dockerfile means what it means as a recipe, unless a command has written it.
void add_docker_builds(Recipe& recipe, const ReadFile& files);

}  // namespace ptxguard::recipes
