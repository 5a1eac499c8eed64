// setup.py: flags that a loop makes of a list, f"arch=compute_{cap},code=sm_{cap}". Inner header of the room.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "recipes/placed_text.hpp"

namespace ptxguard::recipes {

// The flag for each item of the literal list that the loop around `begin` runs over; empty if it is not one.
// `text` is the inside of the f-string at `begin`.
std::vector<Written> flags_of_loop(const PlacedText& script, std::size_t begin, const std::string& text);

}  // namespace ptxguard::recipes
