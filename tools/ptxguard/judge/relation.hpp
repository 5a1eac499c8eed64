// Which things meet here, and what became of each pair. Rules explain pairs; they do not choose which exist.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "facts/facts.hpp"
#include "model/probe.hpp"
#include "model/scenario.hpp"

namespace ptxguard {

enum class Meeting {
    code_gpu,         // what a build makes, a framework or a file holds, and the GPU that is to run it
    code_driver,      // its PTX and its CUDA runtime, and the driver
    gpu_driver,       // was the GPU out when the driver was made
    arch_compiler,    // the architectures that are asked for, and nvcc
    compile,          // the parts of a toolkit, its host compiler and headers: a test file
    module_framework  // packages of one framework
};

// One pair that meets.
struct Obligation {
    Meeting kind = Meeting::code_gpu;
    std::string left, right;
    Outcome outcome = Outcome::unknown;  // accepted, refused, unknown
    Certainty basis = Certainty::predicted;
    std::string evidence;  // who said so
    std::string decide;    // of an unknown one
    bool named = false;    // one side was named by the user: it has to be decided
};

std::vector<Obligation> relation(const Scenario& scenario, const Facts& facts);

// Rules that tell of a refused pair of that kind.
const std::vector<std::string>& explained_by(Meeting kind);

}  // namespace ptxguard
