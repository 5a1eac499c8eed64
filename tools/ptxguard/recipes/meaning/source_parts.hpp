// Programs that a recipe compiles from a release of their sources, which uses parts of the toolkit or of
// cuDNN that newer ones no longer have.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <string>

#include "facts/facts.hpp"
#include "model/recipe.hpp"
#include "recipes/base/recipe.hpp"

namespace ptxguard::recipes {

class SourceParts {
public:
    void take(const Command& command, const Facts& facts, RecipeFacts& recipe);

private:
    std::map<std::string, Version> m_archives;  // the release that a command has downloaded, by repository
};

}  // namespace ptxguard::recipes
