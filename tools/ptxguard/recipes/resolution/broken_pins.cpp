// SPDX-License-Identifier: Apache-2.0
#include "recipes/resolution/broken_pins.hpp"

#include "facts/pypi.hpp"
#include "python/specifier.hpp"
#include "recipes/resolution/candidates.hpp"

namespace ptxguard::recipes {
namespace {

void find_broken(const Facts& facts, const MarkerEnvironment& markers, const Installed& one,
                 const InstalledPackages& here, RecipeFacts& recipe) {
    const PypiRow* row = one.version ? pypi_row(facts, one.package, *one.version) : nullptr;
    if (!row) return;
    const RecipePin nothing;
    for (const Requirement& required : row->required) {
        const auto found = required.name == "torch" ? here.end() : here.find(required.name);
        if (found == here.end() || !found->second.version || found->second.asked.overridable ||
            found->second.group <= one.group || !exact_version(required.specifier))
            continue;
        if (differs_by_build(required, one.build)) continue;
        const Installed& other = found->second;
        if (!applies(required, nothing, markers) || accepts(required.specifier, *other.version)) continue;
        recipe.broken.push_back({one, other, required.name + required.specifier, row->origin});
    }
}

}  // namespace

void find_broken_pins(const Facts& facts, const MarkerEnvironment& markers, const InstalledPackages& here,
                      RecipeFacts& recipe) {
    for (const auto& [name, one] : here) find_broken(facts, markers, one, here, recipe);
}

}  // namespace ptxguard::recipes
