// What the children that ask libraries share: lines of JSON, and functions looked up by name. Inner header of
// the room.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <string>
#include <type_traits>
#include <vector>

#include "host/library.hpp"
#include "model/arch.hpp"
#include "model/json.hpp"

namespace ptxguard {

// One line, flushed: the next step may crash.
void say_line(const Json& line);
// {"event":"trouble","text":...}: the library cannot be used. The child's exit code.
int say_trouble(const std::string& text);

// Looks functions up, and keeps the first name that the library lacks.
class Finder {
public:
    explicit Finder(const LoadedLibrary& library) : m_library(library) {}

    template <typename Function>
    bool find(Function& function, const std::string& name) {
        function = reinterpret_cast<std::remove_reference_t<Function>>(m_library.symbol(name.c_str()));
        return function != nullptr;
    }
    template <typename Function>
    void need(Function& function, const std::string& name) {
        if (!find(function, name) && m_missing.empty()) m_missing = name;
    }
    const std::string& missing() const { return m_missing; }

private:
    const LoadedLibrary& m_library;
    std::string m_missing;
};

// Text that a library hands out in two steps: its size with the zero at the end, then its bytes.
constexpr std::size_t k_longest_text = 32u << 20;
template <typename Handle>
std::string text_of(Handle handle, int (*size_of)(Handle, std::size_t*), int (*copy)(Handle, char*)) {
    std::size_t size = 0;
    if (!size_of || !copy || size_of(handle, &size) != 0 || size == 0 || size > k_longest_text) return {};
    std::string text(size + 1, '\0');
    if (copy(handle, &text[0]) != 0) return {};
    text.resize(std::char_traits<char>::length(text.c_str()));
    return text;
}

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
