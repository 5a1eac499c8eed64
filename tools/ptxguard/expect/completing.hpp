// Applied to the result of every reader: values that the tables add or contradict, the way to cuDNN, and
// whether a declared release was ever published.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "expect/expect.hpp"

namespace ptxguard {

// Adds what its files do not contain and notes where the tables disagree. `published`: a build as published
// by its project, not rebuilt by somebody else.
void complete_from_tables(const Facts& facts, System system, bool published, Expectation& expectation);
// "bundled", "wheels", "conda" or "system", "none" if it does not use cuDNN; and the NVIDIA packages that its
// record requires.
void add_way_to_cudnn(const Host& host, const Facts& facts, Expectation& expectation);
// For a declared build: a release that is missing in a complete list was never published.
void judge_existence(const Facts& facts, const std::string& package, Expectation& expectation);

}  // namespace ptxguard
