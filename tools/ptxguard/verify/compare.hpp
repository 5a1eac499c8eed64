// Compares measured values with the tables. Pure.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "facts/facts.hpp"
#include "verify/part.hpp"

namespace ptxguard {

struct FactDifference {
    std::string what;      // "ptxas_archs.values"
    std::string measured;  // "sm_107", "8.8"
    std::string table;     // "8.7"; empty = not in the table
    std::string text;      // as shown
    std::string source;    // the table's: "m-ptxas", "d-spack"
};

struct VerifiedPart {
    enum class State { agrees, differs, unknown, broken };
    State state = State::unknown;
    MeasuredPart measured;
    std::string table;  // "cuda/12.9.json", "drivers.json, branch 535"; empty = none fits
    std::vector<FactDifference> differences;  // the table has another value
    std::vector<FactDifference> unlisted;     // not in the table: what to add
    std::string add;                          // unknown: what to do
};
const char* to_string(VerifiedPart::State state);

VerifiedPart compare_with_tables(const Facts& facts, MeasuredPart measured);

}  // namespace ptxguard
