// MXNet as a wheel (mxnet-cu112 and the like, one package per CUDA release), a build from source, and as a
// name on the command line.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "expect/expect.hpp"

namespace ptxguard::mxnet {

std::vector<Expectation> read(const Host& host, const SitePlace& place);
Expectation declared(const Facts& facts, System system, const DeclaredBuild& build);

// "mxnet-cu112" and "mxnet-cu101mkl": 11.2, 10.1; nothing for "mxnet" and "mxnet-mkl", which have no CUDA.
std::optional<Version> cuda_of_package(std::string_view package);

}  // namespace ptxguard::mxnet
