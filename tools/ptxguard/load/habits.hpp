// When a package's own way of loading libraries counts, and the places that it names. Inner header.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "facts/libraries.hpp"
#include "host/host.hpp"

namespace ptxguard {

// By the release that lies in `site`; `unknown`: the answer where its record tells none.
bool habit_applies(const Host& host, const std::string& site, const PackageHabit& habit, bool unknown);

// "{site}/nvidia/cublas/lib/libcublas.so.12", "$CUDA_PATH/lib64/libcublas.so.12"; empty where the variable is
// not set.
std::string place_of_find(const Host& host, const std::string& site, const std::string& place);

}  // namespace ptxguard
