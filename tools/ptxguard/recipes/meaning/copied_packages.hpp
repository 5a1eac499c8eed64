// Packages that a stage copies from another one: a venv, a folder of `pip install --target`, site-packages.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "recipes/meaning/stages.hpp"

namespace ptxguard::recipes {

struct CopiedPackages {
    std::vector<const Step*> installs;  // of the other stage, in order: PipInstall, CondaInstall
    bool only = false;                  // nothing but environments is copied
};

CopiedPackages copied_packages(const Stages& stages, const CopyFrom& copy);

// Whether a later stage copies what this one installs, and so uses it in its place.
bool is_copied_away(const Stages& stages, const Stage& stage);

// The stage that installs them reports why a command fails.
void forget_copied(const std::vector<int>& groups, std::vector<RefusedPin>& refused);
// What a stage installs for another one is not started in it.
void forget_libraries(RecipeFacts& recipe);

}  // namespace ptxguard::recipes
