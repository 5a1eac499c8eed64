// Whether the condition of CMake's if() is met, as far as the variables, the toolkit's release and the
// targets that are there determine it. Inner header of the room.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "model/truth.hpp"
#include "recipes/builds/cmake_variables.hpp"

namespace ptxguard::recipes {

struct CMakeCondition {
    const CMakeVariables& variables;
    const std::set<std::string>& targets;
    const std::function<bool(const std::string& name)>& in_environment;
    bool cuda = false;        // the language is enabled
    bool sets_archs = false;  // and CMake gives CMAKE_CUDA_ARCHITECTURES a value then (3.18 and newer)

    // A variable without a value is false by default; in a comparison it is one that the build sets.
    Truth of(const std::vector<std::string>& arguments) const;

    // A word after its ${} were replaced.
    struct Word {
        std::string text;
        bool known = true;  // false: a variable in it has no known value
    };

private:
    Word defined_word(const std::string& name, bool denied) const;
    Word word_of(const std::string& word, bool denied) const;
    Word compared_word(const std::string& word) const;
    bool is_defined(const std::string& name) const;
    std::optional<Word> value(const std::string& name) const;
};

// The variables that may have to be on for it: those that stand alone, without NOT.
std::vector<std::string> switches_of(const std::vector<std::string>& condition);

}  // namespace ptxguard::recipes
