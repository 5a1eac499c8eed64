// The variables of a shell. Copies share what they have in common, so that a subshell, a stage and a step can
// each have their own.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "recipes/base/recipe.hpp"
#include "recipes/base/shared_map.hpp"

namespace ptxguard::recipes {

struct Variable {
    Written value;
    std::vector<Written> items = {};  // of an array
    bool is_array = false;
    bool exported = false;
    bool assigned_here = false;      // by the shell itself; false: from its environment
    std::vector<Written> keys = {};  // of an associative array, one for each item
};

class Variables {
public:
    const Variable* find(std::string_view name) const {
        const auto* found = m_all.find(name);
        return found ? found->get() : nullptr;
    }
    // The value, if programs that the shell starts get it.
    const Written* exported_value(std::string_view name) const;
    void set(const std::string& name, Variable variable);
    void erase(std::string_view name);
    // Removes and returns it; an empty one if it is not set.
    Variable take(const std::string& name);

    // Those of a shell that this one starts.
    Variables inherited() const;
    // Exported ones that the shell itself assigned.
    const SharedMap<Written>& own_exports() const { return m_own_exports; }

private:
    using Shared = std::shared_ptr<Variable>;

    SharedMap<Shared> m_all;
    SharedMap<Shared> m_exported;  // those of m_all that are exported
    SharedMap<Written> m_own_exports;
};

}  // namespace ptxguard::recipes
