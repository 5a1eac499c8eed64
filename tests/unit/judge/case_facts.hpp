// The facts of a case, as lines of words, become a scenario. The words are described in
// tools/ptxguard/judge/README.md.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "model/serialize.hpp"

struct FactLine {
    int number = 0;    // in its file
    std::string text;  // with its indentation
};

// In the form of model/serialize.hpp: "driver 535.104.05" is {"drivers": [{"version": "535.104.05", ...}]}.
ptxguard::Result<ptxguard::Json> facts_json(const std::vector<FactLine>& lines, const std::string& file);
// What `changes` says about a kind of fact (drivers, toolkits, the architectures ...) replaces what `base`
// says about it.
ptxguard::Json overlaid(const ptxguard::Json& base, const ptxguard::Json& changes);
// With what follows from the facts and is not written: where a value comes from, a library's name from its
// file's name.
ptxguard::Result<ptxguard::Scenario> scenario_of(const ptxguard::Json& facts);
