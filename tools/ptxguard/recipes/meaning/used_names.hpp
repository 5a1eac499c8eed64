// The names of CUDA's libraries in the sources of a build that the release of its toolkit no longer has.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "facts/facts.hpp"
#include "model/scenario.hpp"
#include "recipes/base/recipe.hpp"

namespace ptxguard::recipes {

class UsedNames {
public:
    void take(const Command& command);
    // After the toolkit and the libraries of `scenario`.
    void fill(const Facts& facts, Scenario& scenario) const;

private:
    std::vector<Command> m_sources;
};

}  // namespace ptxguard::recipes
