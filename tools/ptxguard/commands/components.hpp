// The components of find_package(CudaConsistent).
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "model/result.hpp"
#include "report/report.hpp"

namespace ptxguard {

// "PyTorch", "cuDNN>=9", "PyTorch>=2.11,<3", each with "?" behind it if it is optional.
Result<Component> parse_component(std::string text);
// Is it a library that the project links, not a framework?
bool is_library(const Component& component);

}  // namespace ptxguard
