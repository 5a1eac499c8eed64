// What a rule.cpp includes: the scenario, the tables, and small builders, so that a rule reads as its sentence.
// A rule sets code, level, subject, message, found, expected, because, fix, decide; the judge adds name and scenario.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "facts/facts.hpp"
#include "model/finding.hpp"
#include "model/scenario.hpp"

namespace ptxguard {

using Findings = std::vector<Finding>;

// PTXGUARD_RULE(CC201) { ... uses scenario, facts, findings ... }
#define PTXGUARD_RULE(CODE)                                                                            \
    void check_##CODE([[maybe_unused]] const ::ptxguard::Scenario& scenario,                           \
                      [[maybe_unused]] const ::ptxguard::Facts& facts,                                 \
                      [[maybe_unused]] ::ptxguard::Findings& findings)

// Appends a finding and returns it for completion.
Finding& add(Findings& findings, const char* code, Level level, std::string subject, std::string message);

// Shared questions that several rules ask.
const ProbeResult* find_probe(const Scenario& scenario, ProbeKind kind, const std::string& toolkit);
std::string version_at(const Part& part);                       // "nvcc 13.0.88 at /usr/local/cuda/bin/nvcc"
std::string list(const std::vector<std::string>& words);        // "a, b and c"

}  // namespace ptxguard
