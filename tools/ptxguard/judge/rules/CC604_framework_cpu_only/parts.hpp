// The parts of CC604 that judge recipes.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "judge/rule.hpp"

namespace ptxguard {

// "CPUs only", "ROCm", "Intel GPUs"
std::string built_for(const Expectation& expectation);
const Origin& origin_of_vendor(const Expectation& expectation);

// A recipe whose image or packages of conda are for CUDA, and that installs a framework which cannot use it.
// What gives the recipe's container a GPU; empty if nothing does.
Evidence evidence_of_container(const RecipeFacts& recipe);
void judge_recipe_for_cuda(const Scenario& scenario, const Facts& facts, Findings& findings);
// A marker that compares with a text that this system never has: it selects a build for CPUs there.
void judge_markers(const RecipeFacts& recipe, Findings& findings);

}  // namespace ptxguard
