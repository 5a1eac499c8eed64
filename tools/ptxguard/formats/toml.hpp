// TOML: ptxguard.toml, pyproject.toml, lock files of Python's package managers.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

#include "formats/tree.hpp"
#include "model/limit.hpp"
#include "model/result.hpp"

namespace ptxguard {

// A map. The error contains `subject`, the line and what is wrong.
Result<Tree> read_toml(std::string_view text, const std::string& subject, const Limit& most_bytes);

}  // namespace ptxguard
