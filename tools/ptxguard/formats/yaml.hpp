// YAML, and JSON, which is nearly a subset of it.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "formats/tree.hpp"
#include "model/result.hpp"

namespace ptxguard {

// The documents. Aliases are replaced by their targets, "<<" by the members that it merges. The error
// contains `subject`, the line and what is wrong.
Result<std::vector<Tree>> read_yaml(std::string_view text, const std::string& subject);

}  // namespace ptxguard
