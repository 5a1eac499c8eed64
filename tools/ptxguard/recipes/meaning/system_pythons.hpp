// Pythons that apt is asked for and the image's system does not have: python3.12 on Ubuntu 22.04.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <string>

#include "facts/facts.hpp"
#include "model/recipe.hpp"
#include "recipes/base/recipe.hpp"

namespace ptxguard::recipes {

// Of one stage, in the order of its steps.
class SystemPythons {
public:
    void take(const Command& command);
    void take(const AptInstall& step);
    // `system`: the text that names the image.
    void fill(const RecipeImage& image, const Written& system, const Facts& facts, RecipeFacts& recipe) const;

private:
    struct Asked {
        Written at;               // the first package of it
        bool deadsnakes = false;  // a command has added that PPA before
    };

    bool m_open = false;                   // a command may have added another source of packages
    bool m_deadsnakes = false;             // a command has added ppa:deadsnakes/ppa
    std::map<std::string, Asked> m_asked;  // by "python3.12", "python3-distutils"
};

}  // namespace ptxguard::recipes
