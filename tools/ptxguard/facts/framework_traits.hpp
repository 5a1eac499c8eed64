// Properties of a framework that do not depend on its release: facts/framework_traits.json.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "facts/facts.hpp"

namespace ptxguard {

// The defaults apply to frameworks that the table does not list.
struct FrameworkTraits {
    std::string framework;                     // "ONNXRuntime", spelt like the component
    std::vector<std::string> packages;         // its packages
    std::vector<std::string> holds;            // compilers that it contains: "XLA"
    bool cxx_interface = true;                 // projects compile against its headers
    std::vector<std::string> build_variables;  // that its builder of extensions reads
    bool cuda_runtime = true;                  // needs CUDA libraries besides the driver
    bool compiles = false;      // what it runs, when it runs: its compilers decide on which GPUs
    bool nvrtc_cubins = false;  // it asks NVRTC for a cubin of the GPU, or of the newest one that NVRTC knows
    bool cudnn = true;          // uses cuDNN
    bool cudnn_of_build = false;  // cannot run without the cuDNN major of its build
    bool cuda_is_plugin = false;  // starts without CUDA libraries, but then without its CUDA part
    bool opens_now = false;       // binds what it opens at once (RTLD_NOW): all functions must be there
    std::string named_as;         // "torch==VERSION+cuXXX": a build as in --framework
    // From this release it can be imported without CUDA libraries: each of its modules needs its own at first
    // use.
    std::optional<Version> needs_at_use_from;
    // Before this release it links what it compiles with libcuda.so, the name without a number.
    std::optional<Version> links_driver_below;
    // Before this release the builds of its own index (a local version) hold NVIDIA's libraries and require
    // no package of them.
    std::optional<Version> requires_libraries_from;
    // From this architecture the driver refuses PTX of a build whose CUDA is older than the GPU: 120 for
    // sm_120.
    std::optional<int> ptx_refused_from;
    // The first architecture that it compiles for, whatever its compilers know: 70 for sm_70.
    std::optional<int> compiles_from;
    Origin origin;
};

const FrameworkTraits& framework_traits(const Facts& facts, const std::string& framework);
// The frameworks of a consumer in facts/known_bad.json: one framework, or all that contain a compiler
// ("XLA").
std::vector<const FrameworkTraits*> consumers_named(const Facts& facts, const std::string& consumer);

}  // namespace ptxguard
