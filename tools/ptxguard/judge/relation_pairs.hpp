// What the two halves of relation.cpp share: the list of pairs, and how an end is made. Inner header of the
// room.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "judge/build_questions.hpp"
#include "judge/entities.hpp"
#include "judge/framework_questions.hpp"
#include "judge/ptx_questions.hpp"
#include "judge/relation.hpp"

namespace ptxguard {

inline Outcome outcome_of(std::optional<bool> good) {
    return !good ? Outcome::unknown : *good ? Outcome::accepted : Outcome::refused;
}

inline std::string name_of(const Part& part) { return version_at(part); }

struct Pairs {
    const Scenario& scenario;
    const Facts& facts;
    const LibraryFaults& faults;
    const Known<std::vector<Target>> code = code_of_build(scenario, facts);
    const Toolkit* const toolkit = toolkit_of_build(scenario);
    std::vector<Obligation> pairs = {};

    template <typename Thing>
    End end(const Thing& thing) const {
        return {id_of(scenario, thing), name_of(thing)};
    }

    Obligation& add(Meeting kind, End left, End right, Outcome outcome) {
        pairs.push_back({kind, std::move(left), std::move(right), outcome});
        return pairs.back();
    }
};

// Those of the components of a toolkit, of libraries and of packages.
void add_pairs_of_parts(Pairs& pairs);

}  // namespace ptxguard
