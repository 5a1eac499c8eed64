// The text of a log in pieces of bounded size, whatever wrote it: without colours, carriage returns and zero
// bytes, UTF-16 as UTF-8, and without what CI systems, Docker, Ninja, pip and loggers put before each line.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace ptxguard {

class LogText {
public:
    // Puts up to `most` bytes to `to` and returns how many; 0 = the end.
    using Read = std::function<std::size_t(char* to, std::size_t most)>;
    explicit LogText(Read read) : m_read(std::move(read)) {}

    // The next piece; false at the end. A piece repeats the end of the one before it, so that a message has
    // its surroundings; messages are searched in [from, to).
    bool next();
    // Lines, each ended by k_line_break (pattern.hpp).
    std::string_view text() const { return m_text; }
    std::size_t from() const { return m_from; }
    std::size_t to() const { return m_to; }

    // Whether a line until here began with the name of a container of Compose: "web-1  | ".
    bool is_of_compose() const { return m_of_compose; }

    std::int64_t line_at(std::size_t offset) const;
    // The whole line, without its break.
    std::string_view line_text(std::size_t offset) const;

private:
    void read_more();
    void add_raw(std::string_view bytes);
    void add_utf16(std::string_view bytes);
    void take_lines(bool all);
    void add_line(std::string_view line, bool ends);

    Read m_read;
    std::unique_ptr<char[]> m_buffer;  // for m_read
    std::string m_raw;                 // not yet in m_text: an incomplete line
    std::string m_text;
    struct Start {
        std::size_t offset;
        std::int64_t line;
    };
    std::vector<Start> m_starts;  // of the lines in m_text
    std::int64_t m_line = 1;      // of the next line
    std::size_t m_from = 0, m_to = 0;
    bool m_at_end = false, m_begun = false, m_in_line = false, m_of_compose = false;
    bool m_has_escapes = false, m_has_returns = false;  // in m_raw; most logs have none
    enum class Encoding { bytes, utf16_little, utf16_big } m_encoding = Encoding::bytes;
    std::string m_unit;  // half a UTF-16 unit
    std::uint32_t m_high_surrogate = 0;
};

// How much of a line is no part of the message: "2026-01-02T03:04:05.678Z ", "[12/345] ", "#8 1.234 ".
std::size_t prefix_length(std::string_view line);

}  // namespace ptxguard
