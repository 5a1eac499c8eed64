// A progress line on the terminal of standard error.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <memory>
#include <string>

namespace ptxguard::own {

// Shown after half a second, removed at the end. Nothing if standard error is not a terminal.
class Progress {
public:
    explicit Progress(bool wanted);
    ~Progress();
    void say(const std::string& what);
    // "compiling test code (3 of 5, sm_90)"; `all` 0 = not known. Thread-safe.
    void count(std::size_t done, std::size_t all, const std::string& about);

private:
    struct Line;
    std::unique_ptr<Line> m_line;
};

// The text without its end where the terminal has fewer columns: a second line could not be overwritten.
std::string one_line(const std::string& text, std::size_t columns);
std::string count_text(std::size_t done, std::size_t all, const std::string& about);

}  // namespace ptxguard::own
