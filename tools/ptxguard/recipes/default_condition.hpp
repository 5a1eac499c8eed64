// Whether the condition of an if() is met where options have their defaults. Inner header of the room.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <set>
#include <string>
#include <vector>

#include "host/host.hpp"
#include "model/truth.hpp"
#include "recipes/cmake_condition.hpp"
#include "recipes/cmake_variables.hpp"

namespace ptxguard::recipes {

struct DefaultCondition {
    const CMakeVariables& variables;
    const Host& host;
    const std::set<std::string>& targets;
    bool cuda = false;        // the language is enabled
    bool sets_archs = false;  // and CMake gives CMAKE_CUDA_ARCHITECTURES a value then (3.18 and newer)

    // A variable without a value is false; in a comparison it is one that the build sets.
    Truth of(const std::vector<std::string>& arguments) const;

private:
    CMakeWord word_of(const std::string& word) const;
    CMakeWord compared_word(const std::string& word) const;
    bool is_defined(const std::string& name) const;
    std::optional<CMakeWord> value(const std::string& name) const;
};

// The variables that may have to be on for it: those that stand alone, without NOT.
std::vector<std::string> switches_of(const std::vector<std::string>& condition);

}  // namespace ptxguard::recipes
