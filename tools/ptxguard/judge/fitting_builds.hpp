// Which published build of a framework would run on a GPU, as far as the tables know what builds hold.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "facts/facts.hpp"
#include "model/scenario.hpp"

namespace ptxguard {

// "the cu126 build of torch 2.11.0"; of another release where none of this one fits: "torch 2.7.0 or newer
// (its cu128 build)" for a GPU that is newer than all its code, "torch 2.10.0 or older" for others. Empty
// where no row tells of one.
std::string build_that_fits(const Expectation& expectation, Arch gpu, const Scenario& scenario,
                            const Facts& facts);

// Newer than all that it holds.
bool is_newer_than_all(const std::vector<Target>& code, Arch gpu);

}  // namespace ptxguard
