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
    std::vector<std::string> packages;  // its packages
    std::vector<std::string> holds;     // compilers inside: "XLA"
    bool cxx_interface = true;          // projects compile against its headers
    std::vector<std::string> build_variables;  // that its builder of extensions reads
    bool cuda_runtime = true;           // needs CUDA libraries besides the driver
    bool cudnn = true;                  // uses cuDNN
    bool cudnn_of_build = false;        // cannot run without the cuDNN major of its build
    bool cuda_is_plugin = false;        // starts without CUDA's libraries, and then without its CUDA part
    std::string named_as;               // "torch==VERSION+cuXXX": how --framework names a build
    // Since that release it can be imported without CUDA's libraries: each of its modules needs its own at
    // first use.
    std::optional<Version> needs_at_use_from;
    Origin origin;
};

const FrameworkTraits& framework_traits(const Facts& facts, const std::string& framework);
// The frameworks of a consumer in facts/known_bad.json: one framework, or all that contain a compiler
// ("XLA").
std::vector<const FrameworkTraits*> consumers_named(const Facts& facts, const std::string& consumer);

}  // namespace ptxguard
