// The architectures that the build files of a project select. Inner header of the room.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "model/request.hpp"
#include "recipes/base/recipe.hpp"
#include "recipes/builds/default_build.hpp"

namespace ptxguard::recipes {

// Of CMake files, what is executed.
void add_archs(const DefaultBuild& build, BuiltProject& project);
// Of a setup.py or Makefile, all that they contain.
void add_archs(const Recipe& recipe, BuiltProject& project);

}  // namespace ptxguard::recipes
