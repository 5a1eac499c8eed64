// Search paths and CUDA_HOME that name the folder of a CUDA which the image does not have, or which the
// package `cuda` without a version does not install: left behind when the tag or NVIDIA's repository changed.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "model/scenario.hpp"
#include "recipes/meaning/environments.hpp"

namespace ptxguard::recipes {

// PATH, LD_LIBRARY_PATH and the like, with "/usr/local/cuda-11.7/lib64" in one of their entries.
bool names_cuda_folder(const SetVariable& variable);
// `steps` are those of the scenario, whose image is known. Nothing where a step may bring that release.
// `newest`: what `cuda` without a version installs here.
void add_dead_paths(const Environments::Steps& steps, const Known<Version>& newest, Scenario& scenario);

}  // namespace ptxguard::recipes
