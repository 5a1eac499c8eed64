// Which published build of a framework would run on a GPU, as far as the tables list the content of builds.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "facts/facts.hpp"
#include "model/finding.hpp"
#include "model/scenario.hpp"

namespace ptxguard {

// Another build of the same release for the newest CUDA that fits; otherwise the first newer release with one
// (for a GPU newer than all its code) or the last older one, and how to install it. Empty if no row covers
// it.
std::vector<Fix> fitting_build_fix(const Expectation& expectation, Arch gpu, const Scenario& scenario,
                                   const Facts& facts);

// The build for a toolkit of that CUDA major: of the same release, else of the nearest newer one, else of the
// last older one that has it for this system and Python.
std::vector<Fix> build_for_toolkit_fix(const Expectation& expectation, const Version& cuda,
                                       const Scenario& scenario, const Facts& facts);

// The builds in the tables, newest release and CUDA first; for cupy those of its package for each CUDA.
// `installable`: only those that pip installs with all their requirements.
std::vector<Fix> published_builds(const Expectation& like, System system, const Facts& facts,
                                  bool installable = true);
// All of these, and those in its packages for other CUDA releases: of the same release, the older ones,
// newest first, and the newer ones, oldest first.
struct BuildsAround {
    std::vector<Fix> same, older, newer;
};
BuildsAround builds_around(const Expectation& like, const Scenario& scenario, const Facts& facts);
// An installed companion requires another patch release than that: torchvision 0.17.0 torch 2.2.0, not 2.2.2.
bool is_other_patch(const Expectation& like, const Version& release, const Facts& facts);
// That build as an installed framework; nothing if no table lists it.
std::optional<Expectation> published_build(const Step& build, const Expectation& like, System system,
                                           const Facts& facts);

// PyPI's own build of the release. Of it the tables list all requirements; of those of another index only the
// cuDNN.
bool is_own_build(const Step& build, const Facts& facts);

// Bounds for packages of which pip would take a release without code for a GPU: "nvidia-cudnn-cu12<9.11".
std::vector<std::string> bounds_for_gpus(const Step& build, const Scenario& scenario, const Facts& facts);
// Adds them to the commands that install a framework.
void bound_installs(const Scenario& scenario, const Facts& facts, std::vector<Fix>& fixes);

// Code for that GPU in that file: nvcc's option, and for a wheel, which who installs it does not compile,
// another release of its package.
std::vector<Fix> code_for_gpu_fix(const BinaryFile& file, Arch gpu, const Scenario& scenario,
                                  const Facts& facts);
// The file made by a CUDA that is not newer: another release of a wheel, another toolkit for other files.
Fix older_cuda_fix(const BinaryFile& file, const Version& newest);

// Newer than all code that it contains.
bool is_newer_than_all(const std::vector<Target>& code, Arch gpu);

}  // namespace ptxguard
