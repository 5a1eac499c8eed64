// The condition of CMake's if() and elseif(), as far as a file and a CUDA release determine it.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "model/truth.hpp"

namespace ptxguard::recipes {

// A word after its ${} were replaced.
struct CMakeWord {
    std::string text;
    bool known = true;        // false: a variable in it has no known value
    bool of_release = false;  // it has the release of the toolkit
};

struct CMakeTruth {
    Truth value = Truth::unknown;
    bool of_release = false;  // a comparison with the toolkit's release takes part
};

// `lookup`: the value of a variable, nothing if it is not known. Words are dereferenced like CMake does.
using CMakeLookup = std::function<std::optional<CMakeWord>(const std::string& name)>;
CMakeTruth cmake_condition(const std::vector<CMakeWord>& words, const CMakeLookup& lookup);

}  // namespace ptxguard::recipes
