// Values that queries read and make. Inner header of the room.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "formats/tree.hpp"

namespace ptxguard::recipes {

Tree scalar_of(std::string text, bool quoted = true);
Tree list_of(std::vector<Tree> items);
Tree map_of(std::vector<std::pair<Tree, Tree>> members);
// {"key": K, "value": V}
Tree entry_of(const std::pair<Tree, Tree>& member);

bool is_null(const Tree& value);
bool is_false(const Tree& value);  // null, too
// Numbers, true and null are no texts of JSON. In YAML 2.6.0 is one without its quotes.
bool is_bare(const Tree& value);

// As `jq -c` writes it, and as `jq -r` does.
std::string compact(const Tree& value, std::size_t depth = 0);
std::string raw(const Tree& value);

// The first document of a JSON, YAML or TOML text.
std::optional<Tree> document_of(const std::string& text, bool toml, const std::string& file = "");

}  // namespace ptxguard::recipes
