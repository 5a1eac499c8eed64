// Ranges that one command requests and that exclude each other: torchvision>=0.17 beside torch==2.1.0.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "recipes/resolution/candidates.hpp"
#include "recipes/resolution/needs.hpp"
#include "recipes/resolution/refusals.hpp"

namespace ptxguard::recipes {

// The requests of one command, and what is chosen so far.
struct RequestedSet {
    const Facts& facts;
    const RecipeFacts& recipe;
    const MarkerEnvironment &usual, &likely;
    const Pins& pins;
    const InstalledPackages& chosen;
    mutable std::map<std::string, bool> excluded = {};  // answers for "torch==2.1.0" of a release
};

// The requirement of a release for `pin` that excludes what the command requests; null if none does.
const Requirement* excluding(const RequestedSet& set, const PypiRow& row, const RecipePin& pin);

// Whether all that a release requires accepts the releases that the command requires: torchvision 0.22.1,
// which is there and requires torch 2.7.1, beside a package that requires torchvision and torch 2.14.1. `row`
// may be null.
bool fits_needs(const Needs& needs, const PypiRow* row, const RecipePin& pin, const std::string& build,
                const MarkerEnvironment& usual);

// If each of the releases that its range accepts excludes something else that the command requests.
std::optional<RefusedPin> refused_range(const RequestedSet& set, const RecipePin& pin,
                                        const std::vector<Candidate>& all);
// If its range has no release that a pinned package of the command accepts: torch>=2.5 beside vllm==0.6.0.
std::optional<RefusedPin> excluded_by_pinned(const RequestedSet& set, const RecipePin& pin,
                                             const Needs& needs);

}  // namespace ptxguard::recipes
