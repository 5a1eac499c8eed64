// SPDX-License-Identifier: Apache-2.0
#include "recipes/resolution/releases.hpp"

#include "model/text.hpp"

namespace ptxguard::recipes {

std::optional<Version> newest_within(const Facts& facts, const std::string& package,
                                     const std::string& range) {
    if (trim(range).empty()) return std::nullopt;
    const ReleaseList* list = facts.release_list(package);
    const std::vector<Version> releases = list ? list->releases : facts.framework_releases(package);
    std::optional<Version> newest;
    for (const Version& release : releases)
        if (!release.is_prerelease() && accepts(range, release)) newest = release;
    // Newer releases may exist after the end of the table.
    return newest && !releases.empty() && *newest < releases.back() ? newest : std::nullopt;
}

std::optional<Version> taken(const RecipeFacts& recipe, const std::string& package) {
    for (const Installed& one : recipe.installed)
        if (one.package == package) return one.version.value;
    return std::nullopt;
}

}  // namespace ptxguard::recipes
