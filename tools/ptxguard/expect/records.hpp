// Packages whose records and files do not belong to this system, or not to each other.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "expect/expect.hpp"

namespace ptxguard {

// Names of the packages that bring a reader's framework, as installed_wheels() takes them.
std::vector<std::string> distributions_of(const FrameworkReader& reader);

// A wheel for Windows in a Linux tree or the reverse, from its WHEEL file's tags, else from the endings of
// its modules: distrusts what was read and says so.
void check_platform(const Host& host, const SitePlace& place, const FrameworkReader& reader,
                    Expectation& expectation);

// For a framework that was not found: a package whose record lists files none of which is there.
std::vector<Expectation> half_removed(const Host& host, const SitePlace& place,
                                      const FrameworkReader& reader);

}  // namespace ptxguard
