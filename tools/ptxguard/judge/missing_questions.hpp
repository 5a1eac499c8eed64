// Of libraries that a framework does not find: whether they lie where its loader does not look, or only those
// of another CUDA are there. Inner header of the room.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "judge/library_questions.hpp"

namespace ptxguard {

struct Elsewhere {
    std::vector<std::string> folders;  // that hold missing libraries and are not searched
    std::size_t count = 0;             // of the missing ones
    bool all = false;                  // each of the missing ones lies in one of them
    // Nothing of them lies there: a library for another CUDA that does, and for which.
    const LoadedFile* wanted = nullptr;
    const LoadLoser* other = nullptr;
    int other_major = 0;

    // A variable leads to the other CUDA: it is meant to be used.
    bool is_led_to() const { return other && !other->rule.empty(); }
};
Elsewhere elsewhere_of(const std::vector<const LoadedFile*>& missing, const Facts& facts);

// What follows the sentence that they are missing: ": they lie in folders that are not searched".
std::string words_of(const Elsewhere& elsewhere);
std::vector<Evidence> evidence_of(const Elsewhere& elsewhere);
std::string reason_of(const Elsewhere& elsewhere);
// `framework` may be null: an Expectation that is not known.
std::vector<Fix> fixes_for(const Elsewhere& elsewhere, const Expectation* framework, const Facts& facts);

}  // namespace ptxguard
