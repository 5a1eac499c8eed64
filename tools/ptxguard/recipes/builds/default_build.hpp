// What CMake executes by default: options have their defaults, other variables are not set. Nothing is run.
// Inner header of the room.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "host/host.hpp"
#include "model/request.hpp"
#include "model/truth.hpp"
#include "recipes/base/recipe.hpp"

namespace ptxguard::recipes {

// What a command sets, with the known variables in it.
struct ExecutedStep {
    Step step;
    Truth runs = Truth::yes;  // or unknown
};

struct DefaultBuild {
    std::optional<BuiltProject> project;  // nothing if it compiles no device code
    std::vector<ExecutedStep> steps;
    std::set<std::string> open;  // variables whose value only the build decides
};

// With the folders and files that it adds. `given`: variables that the caller of CMake defines. A project
// that compiles device code only with an option that is off by default is executed with that option;
// `only_with` of the project names it.
DefaultBuild default_build_in(const Host& host, const std::string& folder,
                              const std::map<std::string, std::string>& given);

// "CMakeLists.txt:6"
std::string place_in_project(const Origin& origin);
// "setup.py builds a CUDA extension"
BuiltProject project_built_by(const std::string& file, int line, const std::string& does);

}  // namespace ptxguard::recipes
