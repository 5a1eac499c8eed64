// The frameworks that can be read; a new one is a folder next to this file and a row in table.cpp.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "expect/expect.hpp"

namespace ptxguard {

const std::vector<FrameworkReader>& framework_readers();

}  // namespace ptxguard
