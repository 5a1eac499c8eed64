// What a framework is to the rules, whatever its release: facts/framework_traits.json.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "facts/facts.hpp"

namespace ptxguard {

// The defaults are those of a framework that the table does not list.
struct FrameworkTraits {
    std::string framework;              // "ONNXRuntime": the component's spelling
    std::vector<std::string> packages;  // distributions that it consists of
    std::vector<std::string> holds;     // compilers inside: "XLA"
    bool cxx_interface = true;          // projects compile against its headers
    bool cuda_runtime = true;           // needs more of CUDA than the driver
    bool cudnn = true;                  // has a use for cuDNN
    bool cudnn_of_build = false;        // never without the cuDNN major of its build
    bool cuda_is_plugin = false;        // starts without CUDA's libraries and goes on without its CUDA part
    std::string build_suffix;           // "+cuXXX": its version names the CUDA of a build so
    // From that release on it is imported without CUDA's libraries: each of its modules needs its own at
    // first use.
    std::optional<Version> needs_at_use_from;
    Origin origin;
};

const FrameworkTraits& framework_traits(const Facts& facts, const std::string& framework);
// Those that a consumer of facts/known_bad.json stands for: a framework, or all that hold a compiler ("XLA").
std::vector<const FrameworkTraits*> consumers_named(const Facts& facts, const std::string& consumer);

}  // namespace ptxguard
