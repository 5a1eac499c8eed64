// What every reader's answer gets: what the tables add or say otherwise, the way to cuDNN, and whether a
// declared release was ever published.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "expect/expect.hpp"

namespace ptxguard {

// Fills what its files leave open and notes where the tables differ from them. `published`: as its project
// publishes it, not as somebody else built it.
void complete_from_tables(const Facts& facts, System system, bool published, Expectation& expectation);
// "bundled", "wheels", "conda" or "system", "none" where it has no use for cuDNN; and NVIDIA's packages that
// its record asks for.
void add_way_to_cudnn(const Host& host, const Facts& facts, Expectation& expectation);
// Of a declared build: a release that is missing in a complete list was never published.
void judge_existence(const Facts& facts, const std::string& package, Expectation& expectation);

}  // namespace ptxguard
