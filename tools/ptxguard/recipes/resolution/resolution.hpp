// What the package managers of a recipe put into one environment, command by command: which release of each
// package, which build, what a later command replaces, and which command ends with an error. Unpinned is a
// value too: the newest release that the tables list, with the requirements that it brings.
//
// Only packages with a table (facts/pypi/, facts/frameworks/) are resolved; the others are ignored.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>

#include "facts/facts.hpp"
#include "model/recipe.hpp"
#include "python/marker.hpp"

namespace ptxguard::recipes {

// What is there before the first command.
struct BeforeCommands {
    std::string framework = {};      // "torch==2.3.1+cu121"; "torch" = NVIDIA's own build
    Origin origin = {};              // of the image
    bool is_open = false;            // the image may have anything: what a package requires may be there
    int open_from = 0;               // so it may after the command of this group, which reads unknown files
    std::string likely_python = {};  // where that of the markers is not known
    Known<Version> own_torch = {};   // NVIDIA's own build is a pre-release of it
    std::string package = {};        // "vllm==0.8.5": the image has it with what it requires
};
// Fills `installed`, `replaced` and `refused` from the pins.
void resolve(const Facts& facts, const MarkerEnvironment& markers, const BeforeCommands& before,
             RecipeFacts& recipe);

}  // namespace ptxguard::recipes
