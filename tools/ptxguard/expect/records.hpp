// Packages whose records and files are for another system, or do not match each other.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "expect/expect.hpp"

namespace ptxguard {

// Names of the packages that contain a reader's framework, as installed_wheels() accepts them.
std::vector<std::string> distributions_of(const FrameworkReader& reader);

// A wheel for Windows in a Linux tree or the reverse, by its WHEEL file's tags, otherwise by the suffixes of
// its modules: marks what was read as unusable and reports it.
void check_platform(const Host& host, const SitePlace& place, const FrameworkReader& reader,
                    Expectation& expectation);

// For a framework that was not found: a package with a record whose files are all missing.
std::vector<Expectation> half_removed(const Host& host, const SitePlace& place,
                                      const FrameworkReader& reader);

}  // namespace ptxguard
