// The conda environments and venvs of a stage, each a separate scenario. Which folders are environments is
// decided for the whole stage, when it is known what the recipe creates.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <string>
#include <vector>

#include "recipes/base/recipe.hpp"

namespace ptxguard::recipes {

// Which steps of a stage belong together.
class Environments {
public:
    using Steps = std::vector<const Step*>;

    explicit Environments(Steps steps);
    // "" = the image's own Python; several only if packages are installed into several.
    const std::vector<std::string>& names() const { return m_names; }
    // Whether it has the packages of the image's own Python: not where all is installed into one that is
    // made.
    bool has_those_of_image(const std::string& name) const { return name.empty() && !m_made_one; }
    // Those of this environment and those of all, in order.
    Steps steps(const std::string& name) const;

private:
    using Places = std::vector<std::size_t>;  // in m_steps

    Steps m_steps;
    std::vector<std::string> m_names;
    bool m_made_one = false;
    Places m_common;
    std::map<std::string, Places> m_own;
};

}  // namespace ptxguard::recipes
