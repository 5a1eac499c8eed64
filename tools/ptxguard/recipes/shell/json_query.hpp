// The programs jq and yq: what they write of a JSON, YAML or TOML text. Inner header of the room.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "recipes/base/recipe.hpp"

namespace ptxguard::recipes {

// `jq -r '.torch.version'`, `yq .torch`, `tomlq -r .project.version`, with the values of `text`. Nothing: an
// option or a part of the query is not read, or the result is an error.
std::optional<std::string> written_by_query(const std::vector<Written>& words, const std::string& text);

}  // namespace ptxguard::recipes
