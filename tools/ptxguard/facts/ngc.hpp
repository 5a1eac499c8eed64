// The PyTorch of NVIDIA's images.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "facts/facts.hpp"

namespace ptxguard {

// nvcr.io/nvidia/pytorch:24.05-py3 has a pre-release of 2.4. Nothing for a month between two releases.
Known<Version> torch_of_ngc(const Facts& facts, const std::string& tag);

}  // namespace ptxguard
