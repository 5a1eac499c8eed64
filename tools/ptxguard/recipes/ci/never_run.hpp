// Jobs that no run of a pipeline starts: their own condition is constant, or they need one of these. What a
// run decides (its event, inputs, branch) is not constant.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <set>
#include <string>
#include <utility>
#include <vector>

#include "formats/tree.hpp"
#include "recipes/base/recipe.hpp"

namespace ptxguard::recipes {

// Of GitHub and Azure: `false`, `${{ false }}`, `eq(1, 2)`.
bool never_holds(const Tree& condition, const std::string& file, Problems& problems);
// A condition that replaces the one that what is needed has run: `always()`, `!cancelled()`.
bool ignores_needs(const Tree& condition);
// Names of jobs of a workflow of GitHub.
std::set<std::string> jobs_that_never_run(const Tree& jobs, const std::string& file, Problems& problems);
// Adds the jobs that need one of `off`, or of those that it adds.
using NeedsOfJobs = std::vector<std::pair<std::string, std::vector<std::string>>>;
void add_those_that_need(std::set<std::string>& off, const NeedsOfJobs& needs);
// The `rules` of a job or pipeline of GitLab: none of them adds it.
bool never_adds(const std::vector<const Tree*>& rules);

}  // namespace ptxguard::recipes
