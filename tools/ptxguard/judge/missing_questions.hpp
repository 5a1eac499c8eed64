// For libraries that a framework does not find: are they in folders that its loader does not search, or are
// only those of another CUDA installed? Inner header of the room.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "judge/library_questions.hpp"

namespace ptxguard {

struct Elsewhere {
    std::vector<std::string> folders;  // with missing libraries, not searched
    std::size_t count = 0;             // number of missing libraries
    bool all = false;                  // all missing libraries are in these folders
    // If none is: an installed library of another CUDA, and of which.
    const LoadedFile* wanted = nullptr;
    const LoadLoser* other = nullptr;
    int other_major = 0;

    // A variable names the other CUDA, so it is meant to be used.
    bool is_led_to() const { return other && !other->rule.empty(); }
};
Elsewhere elsewhere_of(const std::vector<const LoadedFile*>& missing, const Facts& facts);

// The end of the sentence that they are missing: ": they lie in folders that are not searched".
std::string words_of(const Elsewhere& elsewhere);
std::vector<Evidence> evidence_of(const Elsewhere& elsewhere);
std::string reason_of(const Elsewhere& elsewhere);
// `framework` may be null: an unknown Expectation.
std::vector<Fix> fixes_for(const Elsewhere& elsewhere, const Expectation* framework, const Facts& facts);

}  // namespace ptxguard
