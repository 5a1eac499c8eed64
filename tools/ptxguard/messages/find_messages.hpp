// Finds the messages of the tables in a log of any size.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "messages/log_text.hpp"
#include "messages/message.hpp"
#include "model/limit.hpp"

namespace ptxguard {

// One or more equal messages (the same row and the same values).
struct FoundMessage {
    const Message* message = nullptr;
    std::int64_t line = 0;     // of the first one
    std::uint64_t order = 0;   // of the first one among all
    std::string text;          // its line, cut if it is long
    bool begins_line = false;  // nothing but signs before it
    bool of_source = false;    // a line of a program's source or a comment; of several not all are
    std::string after;         // the next characters of its line
    Captures captured;
    std::uint64_t times = 1;

    const std::string* value(std::string_view name) const;
};

struct FoundMessages {
    std::vector<FoundMessage> messages;  // in the order of the log
    std::int64_t lines = 0;
    std::vector<Trouble> limits;  // reached ones
    // What the first lines name.
    bool of_wsl = false, of_windows = false, of_apple = false, of_container = false;
    bool of_compose = false;  // lines begin with the name of a container: "web-1  | "
};

FoundMessages find_messages(const LogText::Read& read, const std::string& log);
FoundMessages find_messages(std::string_view text);

}  // namespace ptxguard
