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
#include "model/version.hpp"
#include "recipes/base/shared_map.hpp"

namespace ptxguard::recipes {

// What the files of a project do not say.
struct CMakeBuild {
    std::map<std::string, std::string> given = {};  // variables that the command line sets
    bool by_default = true;  // options have their defaults, what is not set is empty; false: both are open
    std::optional<Version> cuda = {};  // the toolkit's release; nothing: open
};

class CMakeVariables {
public:
    // No command changes those that are given.
    explicit CMakeVariables(const CMakeBuild& build);

    // Of an open one, what it may have among others.
    const std::string* find(const std::string& name) const { return m_values.find(name); }
    // Nothing if it is open, or not set.
    std::optional<std::string> known(const std::string& name) const;
    bool is_open(const std::string& name) const { return m_open.has(name); }
    bool is_given(const std::string& name) const { return m_given.has(name); }
    bool is_by_default() const { return m_by_default; }
    std::set<std::string> open() const;
    // Whether a variable in it may have another value: it is open, or the user's, as a cache entry.
    bool is_default(const std::string& word) const;
    // The items of a loop; nothing if none is known. `all`: there are no others.
    std::optional<std::vector<std::string>> items(const CMakeCommand& foreach, bool& all) const;

    // With the known variables in it; open ones stay "${NAME}".
    std::string expanded(const std::string& word) const { return expanded(word, false); }
    // With all that it may have; what is not known is empty.
    std::string expanded_partly(const std::string& word) const { return expanded(word, true); }
    // Whether a value was too long to be replaced.
    bool was_too_long() const { return m_too_long; }
    void set(const std::string& name, const std::string& value);
    void leave_open(const std::string& name);
    void erase(const std::string& name);

    // What a command does that runs, and one that may run. Afterwards `changed` has the names.
    void run(const CMakeCommand& command);
    void may_run(const CMakeCommand& command);
    const std::set<std::string>& changed() const { return m_changed; }

    // The scope of a function that is called, or of a folder: afterwards only what it gave to the caller has
    // changed.
    CMakeVariables inner_scope() const;
    void take_results(const CMakeVariables& inner);

private:
    std::string expanded(const std::string& word, bool partly) const;
    std::string joined(const std::vector<std::string>& words, std::size_t first, bool partly = false) const;
    void set_by(const std::vector<std::string>& words, const std::string& name);
    bool compute(const CMakeCommand& command);
    bool set_matched(const std::vector<std::string>& words);
    // What the arguments of a command name may have another value after it.
    void may_set(const CMakeCommand& command);
    bool refers_to_open(const std::string& value) const;

    // Each call of a function has a copy.
    SharedMap<std::string> m_given, m_values;
    SharedMap<bool> m_open, m_defaults;  // whose value is not known; whose value the user may choose
    std::map<std::string, std::optional<std::string>> m_for_caller;  // by PARENT_SCOPE; nothing: open
    std::set<std::string> m_changed;
    std::optional<Version> m_cuda;
    bool m_by_default = true;
    mutable bool m_too_long = false;
};

}  // namespace ptxguard::recipes
