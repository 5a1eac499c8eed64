// Triton as a wheel (triton, triton-windows, pytorch-triton) or a conda package. Its CUDA is only in its
// ptxas: it has no CUDA runtime, no cuDNN and no C++ interface.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "expect/expect.hpp"

namespace ptxguard::triton {

std::vector<Expectation> read(const Host& host, const SitePlace& place);
Expectation declared(const Facts& facts, System system, const DeclaredBuild& build);

// The ptxas programs in `folder` (triton/), and what each is used for.
void add_tools(const Host& host, const std::string& folder, Expectation& expectation);

}  // namespace ptxguard::triton
