// The architectures that FindCUDA makes of names such as Common, for the release of the toolkit.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "facts/facts.hpp"
#include "model/scenario.hpp"
#include "recipes/base/recipe.hpp"

namespace ptxguard::recipes {

class NamedArchs {
public:
    void take(const Command& command);
    // After the toolkit of `scenario`.
    void fill(const Facts& facts, Scenario& scenario) const;

private:
    std::vector<Written> m_lists;  // "Auto", "Kepler;7.5+PTX"
};

}  // namespace ptxguard::recipes
