// Whether a project compiles device code, and for which architectures, by the files that its build starts
// with: setup.py, CMakeLists.txt (also of scikit-build), meson.build, Makefile. Nothing is run.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>

#include "host/host.hpp"
#include "model/request.hpp"

namespace ptxguard::recipes {

// Nothing if none of the files compiles device code by default.
std::optional<BuiltProject> cuda_project_in(const Host& host, const std::string& folder);

}  // namespace ptxguard::recipes
