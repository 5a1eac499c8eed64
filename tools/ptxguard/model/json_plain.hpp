// JSON as programs write it: our own tables and reports. Inner header of the room.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string_view>

#include "model/json.hpp"

namespace ptxguard {

// Several times as fast as the JSON library. Nothing for a text that is wrong, or that holds what is rare:
// escapes, bytes beyond ASCII in texts, numbers that are no integers, depth. Such a text is the library's to
// read or to refuse.
std::optional<Json> read_plain_json(std::string_view text);

}  // namespace ptxguard
