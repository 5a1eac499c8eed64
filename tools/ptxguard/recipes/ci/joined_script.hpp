// Lines of a script that a CI system writes as a list. Inner header of the room.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include "recipes/base/placed_text.hpp"

namespace ptxguard::recipes {

// `- if A; then` ends in a later line: what is up to there is one text for the shell. `first` becomes its
// last line. Nothing if there is no such line, and for lines of several files.
std::optional<PlacedText> joined_from(std::size_t& first, const std::vector<PlacedText>& texts);

}  // namespace ptxguard::recipes
