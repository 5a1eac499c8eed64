// The variables of a CMake scope while its commands are executed: known, or open where only the build
// decides. Inner header of the room.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "formats/cmake_commands.hpp"
#include "recipes/shared_map.hpp"

namespace ptxguard::recipes {

class CMakeVariables {
public:
    // `given`: those that the command line sets; no command changes them.
    explicit CMakeVariables(const std::map<std::string, std::string>& given);

    const std::string* find(const std::string& name) const { return m_values.find(name); }
    bool is_open(const std::string& name) const { return m_open.has(name); }
    bool is_given(const std::string& name) const { return m_given.has(name); }
    std::set<std::string> open() const;
    // The items of a loop; nothing if they are open.
    std::optional<std::vector<std::string>> items(const CMakeCommand& foreach) const;

    // With the known variables in it; open ones stay "${NAME}".
    std::string expanded(const std::string& word) const;
    void set(const std::string& name, const std::string& value);
    void leave_open(const std::string& name);
    void erase(const std::string& name);

    // What a command does that runs, and one that may run.
    void run(const CMakeCommand& command);
    void may_run(const CMakeCommand& command);

    // The scope of a function that is called: afterwards only what it gave to the caller has changed.
    CMakeVariables function_scope() const;
    void take_results(const CMakeVariables& function);

private:
    std::string joined(const std::vector<std::string>& words, std::size_t first) const;
    // What the arguments of a command name may have another value after it.
    void may_set(const CMakeCommand& command);

    bool refers_to_open(const std::string& value) const;

    // Each call of a function has a copy.
    SharedMap<std::string> m_given, m_values;
    SharedMap<bool> m_open;                                          // whose value is not known
    std::map<std::string, std::optional<std::string>> m_for_caller;  // by PARENT_SCOPE; nothing: open
};

}  // namespace ptxguard::recipes
