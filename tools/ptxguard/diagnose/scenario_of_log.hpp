// What a log names, as a scenario: its driver, GPUs and frameworks. A log is an open world; what it does not
// mention is unknown, never absent.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>

#include "facts/facts.hpp"
#include "messages/find_messages.hpp"
#include "model/scenario.hpp"

namespace ptxguard {

Origin from_log(const std::string& log, std::int64_t line);
Scenario scenario_of_log(const std::string& log, const FoundMessages& found, const Facts& facts);

}  // namespace ptxguard
