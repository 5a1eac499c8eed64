// Every pair of facts that are used together, and its outcome. Rules explain pairs; they do not decide which
// exist.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "facts/facts.hpp"
#include "judge/library_faults.hpp"
#include "model/entity.hpp"
#include "model/probe.hpp"
#include "model/scenario.hpp"

namespace ptxguard {

// The name of the build in its pairs.
inline constexpr const char* k_this_build = "this build";

// One side of a pair, and how it is shown.
struct End {
    Entity id;
    std::string name;
};

// One such pair.
struct Obligation {
    Meeting kind = Meeting::code_gpu;
    End left, right;
    Outcome outcome = Outcome::unknown;  // accepted, refused, unknown
    Certainty basis = Certainty::predicted;
    std::string evidence;        // basis of the outcome
    std::string decide;          // what would decide an unknown outcome
    bool named = false;          // the user named one side: it has to be decided
    std::string_view rule = {};  // that reports it; empty = one of those for its kind
};

bool decided(const Obligation& pair);  // accepted or refused
inline bool has(const Obligation& pair, const Entity& id) {
    return pair.left.id == id || pair.right.id == id;
}

// A driver, GPU or framework that the user named, without any decided pair.
struct Unmet {
    End thing;
    std::string what;    // "driver", "GPU", "framework"
    std::string decide;  // the options that would give it a counterpart
    // Not empty: the place that was to be checked, in which nothing met it.
    std::string place = {};
};
std::vector<Unmet> unmet(const Scenario& scenario, const Facts& facts, const std::vector<Obligation>& pairs);

std::vector<Obligation> relation(const Scenario& scenario, const Facts& facts, const LibraryFaults& faults);

// Whether a finding reports a pair that is refused, or that the user named and nothing decides: it names both
// ends of it.
bool reports_pair(const Finding& finding, const Obligation& pair);

}  // namespace ptxguard
