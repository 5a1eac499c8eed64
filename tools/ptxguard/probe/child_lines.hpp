// Shared by the child processes that call libraries: lines of JSON, arguments, texts from a library. Inner
// header of the room.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <string>
#include <vector>

#include "host/library.hpp"
#include "model/arch.hpp"
#include "model/json.hpp"

namespace ptxguard {

// One line, flushed: the next step may crash.
void say_line(const Json& line);
// {"event":"trouble","text":...}: the library cannot be used. The child's exit code.
int say_trouble(const std::string& text);

// Text that a library returns in two steps: its size including the zero, then its bytes.
std::string text_of(void* handle, void* size_of, void* copy);
std::string bytes_of(void* handle, void* size_of, void* copy);  // up to their end

// Bytes in a line of JSON.
std::string to_hex(const std::string& bytes);
std::string from_hex(const std::string& digits);  // empty = not hexadecimal

// "LIBRARY [--limit] [--option=X]... ARCH..."
struct ChildArguments {
    std::string library;
    bool limit = false;
    std::vector<std::string> options;
    std::vector<Arch> archs;
};
ChildArguments child_arguments(const std::vector<std::string>& arguments);

class Stopwatch {
public:
    double milliseconds() const {
        return std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - m_start).count();
    }

private:
    std::chrono::steady_clock::time_point m_start = std::chrono::steady_clock::now();
};

}  // namespace ptxguard
