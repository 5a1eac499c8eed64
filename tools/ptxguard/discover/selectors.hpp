// Everything on a machine that names a toolkit: options, variables, PATH entries, packages, default folders.
// Each candidate ("lead") is followed to its nvcc or to the reason why there is none.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "discover/layout.hpp"
#include "host/host.hpp"
#include "model/python.hpp"
#include "model/request.hpp"
#include "model/toolkit.hpp"

namespace ptxguard {

struct Lead {
    Selector selector;           // `toolkit` and `decides` are still empty
    NvccFile found;              // site.found() is false if there is no toolkit
    bool names_program = false;  // the selector names nvcc itself, not a folder
};

// All candidates in the order of a build: CMake's order if CMake builds, otherwise that of
// torch.utils.cpp_extension, which most Python builds share: CUDA_HOME, CUDA_PATH, nvcc on PATH,
// /usr/local/cuda. Packages and default folders without a toolkit are not candidates; variables without one
// are, with their problem.
std::vector<Lead> follow_leads(const Host& host, const Request& request, const PythonEnvironment& python);

// The toolkit folder that `value` was probably meant to be; empty if none is plausible.
std::string nearest_toolkit(const Host& host, const std::string& value);

}  // namespace ptxguard
