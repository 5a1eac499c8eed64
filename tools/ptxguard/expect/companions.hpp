// Packages that are built against one release of a framework (torchvision, flash-attn) and installed with
// another.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "expect/expect.hpp"

namespace ptxguard {

// Adds a misfit for each companion of facts/loading.json whose record pins another release of the framework,
// or whose modules are of another CUDA or were built with the other std::string.
void find_companions(const Host& host, const Facts& facts, Expectation& expectation);

}  // namespace ptxguard
