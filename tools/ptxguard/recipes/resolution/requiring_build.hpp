// What a build of a package requires, where the table has the requirements of PyPI's build of the release.
// Inner header of the room.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "facts/facts.hpp"
#include "facts/pypi.hpp"
#include "model/recipe.hpp"

namespace ptxguard::recipes {

class RequiringBuild {
public:
    // `pin` has a version.
    RequiringBuild(const Facts& facts, const RecipePin& pin, std::string build);

    // Those of PyPI's build, with NVIDIA's packages under the names that they have for this build's CUDA.
    std::vector<Requirement> requirements(const PypiRow& row) const;
    // What this build requires of that package, where the release that is `here` does not meet it.
    std::optional<Requirement> unmet_by(const Version& here, const Requirement& required) const;

private:
    std::string own_range(const Requirement& required) const;
    std::string listed_range(const std::string& package) const;
    bool may_require(const Requirement& required, const Version& here) const;
    bool is_same_nccl(const Requirement& required) const;
    bool has_number_of_cuda(const std::string& package) const;
    bool is_named(const std::string& package, const char* part) const;

    std::string m_build;
    std::optional<Version> m_cuda;
    const FrameworkRelease* m_release;
    bool m_is_other = false, m_of_torch = false, m_other_major = false, m_is_listed = false;
};

}  // namespace ptxguard::recipes
