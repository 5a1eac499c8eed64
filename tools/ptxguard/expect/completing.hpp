// Applied to the result of every reader: values that the tables add or contradict, how it gets cuDNN, and
// whether a declared release was ever published.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "expect/expect.hpp"

namespace ptxguard {

// Adds what its files do not contain and records where the tables disagree. `published`: a build as published
// by its project, not rebuilt by others.
void complete_from_tables(const Facts& facts, System system, bool published, Expectation& expectation);
// "bundled", "wheels", "conda" or "system", "none" if it does not use cuDNN; and the NVIDIA packages that its
// record requires.
void add_way_to_cudnn(const Host& host, const Facts& facts, Expectation& expectation);
// For a declared build: a release that is missing in a complete list was never published.
void judge_existence(const Facts& facts, const std::string& package, Expectation& expectation);

// Packages whose records and files are for another system, or do not match each other.

// A wheel for Windows in a Linux tree or the reverse, by its WHEEL file's tags, otherwise by the suffixes of
// its modules: marks the result as unusable and reports it.
void check_platform(const Host& host, const SitePlace& place, const FrameworkReader& reader,
                    Expectation& expectation);

// Half an update: the record is of another release than the files, and the pins in it are not theirs.
void compare_with_record(const Host& host, Expectation& expectation);

// For a framework that was not found: a package with a record whose files are all missing.
std::vector<Expectation> half_removed(const Host& host, const SitePlace& place,
                                      const FrameworkReader& reader);

}  // namespace ptxguard
