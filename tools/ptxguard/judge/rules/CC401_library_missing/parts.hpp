// The parts of CC401.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "judge/rule.hpp"

namespace ptxguard {

// What packages of a Python environment open or find only under conditions, and their native modules.
void judge_environment(const Scenario& scenario, const Facts& facts, Findings& findings);

// Libraries of the system that a package needs: FFmpeg.
void judge_system_libraries(const Scenario& scenario, const Facts& facts, Findings& findings);

// A package for CUDA in a recipe whose image has no CUDA.
void judge_image_without_cuda(const Scenario& scenario, const Facts& facts, Findings& findings);

}  // namespace ptxguard
