// Every pair of facts that meet, and its outcome. Rules explain pairs; they do not choose which exist.
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
    gpu_driver,       // whether the driver supports the GPU
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
    std::string evidence;  // what the outcome rests on
    std::string decide;    // what would decide an unknown outcome
    bool named = false;    // one side was named by the user: it has to be decided
};

std::vector<Obligation> relation(const Scenario& scenario, const Facts& facts);

// Rules that report a refused pair of that kind.
const std::vector<std::string>& explained_by(Meeting kind);

}  // namespace ptxguard
