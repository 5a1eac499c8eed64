// The NVIDIA packages that a framework's metadata requires, compared with the installed ones: why a library
// is missing, and which mixed sets are intended.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "facts/facts.hpp"
#include "host/host.hpp"
#include "model/framework.hpp"
#include "model/loading.hpp"

namespace ptxguard {

// Fills absent_packages, all_packages_absent, packages_of_others and half_removed of the trace, and `pinned`
// of its libraries.
void compare_with_packages(const Host& host, const Facts& facts, const Expectation& framework,
                           LoadTrace& trace);

}  // namespace ptxguard
