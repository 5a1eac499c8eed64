// What the lines of the check list say before the findings are added. Inner header of the room.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "facts/facts.hpp"
#include "judge/relation.hpp"
#include "model/entity.hpp"
#include "model/scenario.hpp"

namespace ptxguard {

inline constexpr std::size_t k_names = 3;  // of a line, at most

// What was found for an area; if not `checked`, the text is what is missing.
struct Seen {
    bool checked = false;
    std::string text;
    std::string decide = {};                     // option to pass
    std::vector<std::string> not_compared = {};  // what it met without a result
    std::string brief = {};                      // its names, without what they were compared with
    std::vector<std::string> refused = {};       // names of which no pair is accepted and some are refused
    std::vector<Entity> refused_ids = {};
    std::vector<const Obligation*> refusals = {};
    std::string area = {};
};

// In the order of a build and then a run.
std::vector<Seen> areas_seen(const Scenario& scenario, const Facts& facts,
                             const std::vector<Obligation>& pairs);

}  // namespace ptxguard
