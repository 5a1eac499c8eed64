// Every pair of facts that are used together, and its outcome. Rules explain pairs; they do not decide which
// exist.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "facts/facts.hpp"
#include "model/probe.hpp"
#include "model/scenario.hpp"

namespace ptxguard {

enum class Meeting {
    code_gpu,         // the code of a build, framework or file, and the GPU that has to run it
    code_driver,      // its PTX and its CUDA runtime, and the driver
    gpu_driver,       // whether the driver supports the GPU
    arch_compiler,    // the requested architectures, and nvcc
    compile,          // the components of a toolkit, its host compiler and headers: a test file
    module_framework  // packages of one framework
};

// One such pair.
struct Obligation {
    Meeting kind = Meeting::code_gpu;
    std::string left, right;
    Outcome outcome = Outcome::unknown;  // accepted, refused, unknown
    Certainty basis = Certainty::predicted;
    std::string evidence;  // basis of the outcome
    std::string decide;    // what would decide an unknown outcome
    bool named = false;    // the user named one side: it has to be decided
};

std::vector<Obligation> relation(const Scenario& scenario, const Facts& facts);

// Rules that report a refused pair of that kind.
const std::vector<std::string>& explained_by(Meeting kind);

}  // namespace ptxguard
