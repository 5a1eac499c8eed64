// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>

#include "commands/settings.hpp"
#include "facts/facts.hpp"
#include "model/result.hpp"

namespace ptxguard {

// A GPU that no table lists is reported in one line, before anything is examined.
std::optional<Trouble> check_gpus(const Settings& settings, const Facts& facts);

}  // namespace ptxguard
