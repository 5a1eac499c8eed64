// Installed packages of one framework that do not work together. Inner header of the room.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "facts/facts.hpp"
#include "facts/libraries.hpp"
#include "model/finding.hpp"
#include "model/scenario.hpp"

namespace ptxguard {

struct Conflict {
    std::string package, other;  // "jax-cuda12-plugin 0.6.0", "jaxlib 0.6.1"
    Origin package_origin, other_origin;
    std::string message;  // "does not fit jaxlib 0.6.1"
    std::string effect;   // what happens then
    Harm harm = Harm::later;
    bool stops_gpu = false;  // without it the framework itself computes nothing on a GPU
    std::string wanted;      // version of `package` that fits; empty = it should not be installed
    Fix fix;                 // empty text = none is known
    std::string pin;   // in a recipe: the line that fits, "torchaudio==2.3.1"; empty = there are several
    std::string lost;  // "cudnn": NVIDIA's package of this library whose files were overwritten by another
    const SharedFile* builds = nullptr;  // two builds of one package: the fix depends on the machine
};

// Of two builds of one package: both are for GPUs, or one has no CUDA.
Conflict conflict_of_builds(const SharedFile& shared);
std::vector<Conflict> package_conflicts(const Expectation& framework, const Facts& facts);
// Restores the files of a framework's package that another one has replaced; if another framework needs
// those, suggests two environments. Empty text: no file of that library ("cudnn") was replaced.
Fix lost_files_fix(const Scenario& scenario, const Expectation& framework, const std::string& component);

}  // namespace ptxguard
