// Whether two frameworks can be installed into one environment, as far as the tables list what they require.
// For `ptxguard plan`.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "facts/facts.hpp"
#include "model/finding.hpp"

namespace ptxguard {

// "torch 2.15.0 requires nvidia-cudnn-cu13==9.20, which ..."; empty = nothing is known against it.
std::string conflict_between(const Step& one, const Step& other, const Facts& facts);

}  // namespace ptxguard
