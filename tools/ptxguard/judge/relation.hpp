// Every pair of facts that are used together, and its outcome. Rules explain pairs; they do not decide which
// exist.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "facts/facts.hpp"
#include "judge/library_faults.hpp"
#include "model/probe.hpp"
#include "model/scenario.hpp"

namespace ptxguard {

enum class Meeting {
    code_gpu,          // the code of a build, framework or file, and the GPU that has to run it
    code_driver,       // its PTX and its CUDA runtime, and the driver
    gpu_driver,        // whether the driver supports the GPU
    arch_compiler,     // the requested architectures, and nvcc
    compile,           // the components of a toolkit, its host compiler and headers: a test file
    compiler_headers,  // nvcc and the headers that it includes; these and the library that is linked
    compiler_host,     // nvcc and the host compiler
    library_set,       // a library of a process, and the other libraries of that process
    module_framework,  // packages of one framework; a native module, and the framework that it extends
    framework_tool,    // a framework that compiles at run time, and the tool that it finds: ptxas, libdevice,
                       // nvcc
    framework_toolkit,  // a framework, and the toolkit that compiles for it
    framework_python,   // a framework's build, and Python
    project_framework,  // the project's C++ ABI and standard, and a framework's headers
};

// One such pair.
struct Obligation {
    Meeting kind = Meeting::code_gpu;
    std::string left, right;
    Outcome outcome = Outcome::unknown;  // accepted, refused, unknown
    Certainty basis = Certainty::predicted;
    std::string evidence;        // basis of the outcome
    std::string decide;          // what would decide an unknown outcome
    bool named = false;          // the user named one side: it has to be decided
    std::string_view rule = {};  // that reports it; empty = one of those for its kind
};

bool decided(const Obligation& pair);  // accepted or refused

// A driver, GPU or framework that the user named, without any decided pair.
struct Unmet {
    std::string name;
    std::string what;    // "driver", "GPU", "framework"
    std::string decide;  // the options that would give it a counterpart
};
std::vector<Unmet> unmet(const Scenario& scenario, const Facts& facts, const std::vector<Obligation>& pairs);

std::vector<Obligation> relation(const Scenario& scenario, const Facts& facts, const LibraryFaults& faults);

// Whether a finding reports a pair that is refused, or that the user named and nothing decides.
bool reports_pair(const Finding& finding, const Obligation& pair);

}  // namespace ptxguard
