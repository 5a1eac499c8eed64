// numba-cuda, NVIDIA's CUDA target for Numba. Its CUDA is that of cuda-bindings, which it imports: they
// decide which NVRTC, libNVVM and nvJitLink it loads. It has no C++ interface and no cuDNN.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "expect/expect.hpp"

namespace ptxguard::numba {

std::vector<Expectation> read(const Host& host, const SitePlace& place);
Expectation declared(const Facts& facts, System system, const DeclaredBuild& build);

}  // namespace ptxguard::numba
