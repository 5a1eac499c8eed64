// Package managers that the image of a stage does not have: dnf on Ubuntu.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <set>
#include <string>

#include "facts/facts.hpp"
#include "model/recipe.hpp"
#include "recipes/base/recipe.hpp"

namespace ptxguard::recipes {

// Of one stage, in the order of its steps.
class PackageManagers {
public:
    void take(const AptInstall& step);
    // `system`: the text that names the image.
    void fill(const RecipeImage& image, const Written& system, const Facts& facts, RecipeFacts& recipe) const;
    // cuda-toolkit-dev, cuda-nvcc: packages that apt finds nowhere.
    void add_misnamed(const Facts& facts, RecipeFacts& recipe) const;

private:
    std::map<std::string, Written> m_called;  // with the first call
    std::map<std::string, Written> m_by_apt;  // packages without a version, with their place
    std::set<std::string> m_installed;        // packages before a call
};

}  // namespace ptxguard::recipes
