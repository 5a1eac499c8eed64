// The values that a log names, for sentences, commands and the scenario: "driver" -> 550.54.14.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>

#include "facts/facts.hpp"
#include "messages/find_messages.hpp"

namespace ptxguard {

struct LogValue {
    std::string text;
    std::int64_t line = 0;
};
using LogValues = std::map<std::string, LogValue>;

// Those that the whole log agrees on: a name with two different values is left out.
LogValues values_of_log(const FoundMessages& found);
// Those of one message first, then those of the log, and what the tables derive from them.
LogValues values_for(const FoundMessage& message, const LogValues& of_log, const Facts& facts);

// Fills {name}, {name|otherwise}, [parts with names] and @name[parts without it]; outside of brackets "[[" is
// one.
std::string filled(std::string_view text, const LogValues& values);

}  // namespace ptxguard
