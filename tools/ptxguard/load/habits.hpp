// When a package's own preloads apply, and the places that they name. Inner header.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "facts/libraries.hpp"
#include "host/host.hpp"

namespace ptxguard {

// By the release in `site`; `unknown`: the answer if its record does not contain it.
bool habit_applies(const Host& host, const std::string& site, const PackageHabit& habit, bool unknown);

// "{site}/nvidia/cublas/lib/libcublas.so.12", "$CUDA_PATH/lib64/libcublas.so.12"; empty if the variable is
// not set.
std::string place_of_find(const Host& host, const std::string& site, const std::string& place);

}  // namespace ptxguard
