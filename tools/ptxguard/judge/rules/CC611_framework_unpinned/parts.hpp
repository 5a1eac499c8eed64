// The parts of CC611.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "judge/rule.hpp"

namespace ptxguard {

// A pin of any release, or of any from a lower bound on.
bool floats_upwards(const RecipePin& pin);

// What takes the newest release: a pin without a version, or a package that requires one.
struct Taker {
    std::string package, words;  // "onnxruntime-gpu is not pinned"
    Evidence evidence;
};
Taker taker_of(const RecipePin& pin);

// `what`: "CUDA" or "cuDNN".
void report_floating(const Taker& taker, const std::string& what, const Known<Version>& fixed,
                     const std::string& fixed_by, const Known<Version>& newest, const std::string& because,
                     Findings& findings, Level level = Level::warning);

// nvcc as a package without a release.
void judge_compilers(const Scenario& scenario, const Facts& facts, Findings& findings);

}  // namespace ptxguard
