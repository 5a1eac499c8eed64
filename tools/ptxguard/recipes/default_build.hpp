// What CMake executes by default: options have their defaults, other variables are not set. Nothing is run.
// Inner header of the room.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "host/host.hpp"
#include "model/request.hpp"
#include "model/truth.hpp"

namespace ptxguard::recipes {

struct ExecutedFile {
    std::string path, text;
    std::map<int, Truth> lines;  // of its commands; not listed = not executed
};

struct DefaultBuild {
    std::optional<BuiltProject> project;  // nothing if it compiles no device code
    std::vector<ExecutedFile> files;      // in the order in which they are first executed
};

// With the folders and files that it adds.
DefaultBuild default_build_in(const Host& host, const std::string& folder);

// "setup.py builds a CUDA extension"
BuiltProject project_built_by(const std::string& file, int line, const std::string& does);

}  // namespace ptxguard::recipes
