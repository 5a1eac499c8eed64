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
    std::string effect;   // what then happens
    Harm harm = Harm::later;
    std::string wanted;  // version of `package` that fits; empty = it should not be installed
    Fix fix;             // without text: none is known
    std::string lost;    // "cudnn": NVIDIA's package of this library has lost files to another
};
// How to get a companion for the framework that is installed.
std::vector<Fix> companion_fixes(const Companion& row, const Known<Version>& own,
                                 const Known<Version>& built_for, const Expectation& framework);
std::vector<Conflict> package_conflicts(const Expectation& framework, const Facts& facts);
// Gives a package of this framework back the files that another one has replaced; if another framework needs
// those, two environments. Without text: it lost none of that library ("cudnn").
Fix lost_files_fix(const Scenario& scenario, const Expectation& framework, const std::string& component);

}  // namespace ptxguard
