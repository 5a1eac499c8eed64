// Scripts that a command downloads and Python runs, and that are always those of today: get-pip.py.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>

#include "facts/facts.hpp"
#include "facts/recipe_tables.hpp"
#include "model/recipe.hpp"
#include "recipes/base/recipe.hpp"

namespace ptxguard::recipes {

// Of one environment, in the order of its commands.
class PythonScripts {
public:
    // What the command runs with a Python that is too old for it. `python`: what `python3` is; empty = not
    // known.
    std::optional<RefusedPin> take(const Command& command, const std::string& python, const Origin& of_python,
                                   const Facts& facts);

private:
    void note(const Command& command, const Facts& facts);

    std::string m_linked;                    // the release that `ln` has made `python`
    const FirstRelease* m_script = nullptr;  // that a command has downloaded
};

}  // namespace ptxguard::recipes
