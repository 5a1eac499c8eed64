// Python code as statements of tokens, with their positions. Nothing is evaluated. Inner header of the room.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "recipes/base/placed_text.hpp"

namespace ptxguard::recipes {

struct PythonToken {
    enum class Kind { name, number, text, sign };
    Kind kind = Kind::sign;
    std::string text;        // of a string literal: its value; of f"..." with the braces
    bool formatted = false;  // f"..."
    Place at;

    bool is_name() const { return kind == Kind::name; }
    bool is(std::string_view sign) const {
        return (kind == Kind::sign || kind == Kind::name) && text == sign;
    }
};

// A logical line, or what ";" separates.
struct PythonLine {
    std::vector<PythonToken> tokens;  // not empty
    std::size_t indentation = 0;
};

std::vector<PythonLine> python_lines(std::string_view text);
// Of one expression that starts at `at`, such as that in the braces of f"{...}".
std::vector<PythonToken> python_tokens(std::string_view text, Place at);

}  // namespace ptxguard::recipes
