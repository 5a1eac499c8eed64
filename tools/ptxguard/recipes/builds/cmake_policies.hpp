// What the files of a project need of CMake itself that some releases lack: policies, the module FindCUDA, a
// version of presets. Inner header of the room.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <string>

#include "recipes/base/recipe.hpp"
#include "recipes/builds/cmake_variables.hpp"

namespace ptxguard::recipes {

class CMakePolicies {
public:
    // `has_own`: whether the project has a module of that name.
    explicit CMakePolicies(std::function<bool(const std::string& module)> has_own)
        : m_has_own(std::move(has_own)) {}

    // Of one command that runs, as a step.
    std::optional<Command> needed_by(const std::string& file, const CMakeCommand& command,
                                     const CMakeVariables& variables, bool fixed);

private:
    std::optional<Command> require(const std::string& file, const CMakeCommand& command,
                                   const CMakeVariables& variables, std::size_t at, bool fixed);
    bool is_without_findcuda(const std::string& file) const;

    std::function<bool(const std::string& module)> m_has_own;
    std::string m_first;                      // file with a version
    std::map<std::string, Version> m_newest;  // that the policies of a file are for
    bool m_keeps_old = false, m_wants_new = false;
};

}  // namespace ptxguard::recipes
