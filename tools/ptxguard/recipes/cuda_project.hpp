// Whether a project compiles device code, by the files that its build starts with: setup.py, CMakeLists.txt
// (also of scikit-build), meson.build, Makefile. Nothing is run.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>

#include "host/host.hpp"
#include "model/origin.hpp"

namespace ptxguard::recipes {

struct CudaProject {
    Known<std::string> why;     // "setup.py builds a CUDA extension"
    bool torch = false;         // PyTorch's own list of architectures counts
    bool only_if_cuda = false;  // if the PyTorch that it links is a build with CUDA
};

// Nothing if none of the files compiles device code by default.
std::optional<CudaProject> cuda_project_in(const Host& host, const std::string& folder);

}  // namespace ptxguard::recipes
