// SPDX-License-Identifier: Apache-2.0
#include "recipes/resolution/broken_pins.hpp"

#include "facts/libraries.hpp"
#include "facts/pypi.hpp"
#include "python/specifier.hpp"
#include "recipes/resolution/candidates.hpp"

namespace ptxguard::recipes {
namespace {

// vllm of sglang[all], or of an image, is linked against one minor release of torch. Where a command names
// the package itself, its pin is compared with the torch that is there.
bool breaks_with(const Facts& facts, const Installed& one, const Requirement& required,
                 const Installed& torch) {
    const auto wanted = exact_version(required.specifier);
    return (!one.required_by.empty() || one.of_image) && !torch.newest &&
           companion_of(facts, "torch", one.package) && wanted &&
           wanted->release() != torch.version->release();
}

void find_broken(const Facts& facts, const MarkerEnvironment& markers, const Installed& one,
                 const InstalledPackages& here, RecipeFacts& recipe) {
    const PypiRow* row = one.version ? pypi_row(facts, one.package, *one.version) : nullptr;
    if (!row) return;
    const RecipePin nothing;
    for (const Requirement& required : row->required) {
        const auto found = here.find(required.name);
        if (found == here.end() || !found->second.version || found->second.asked.overridable ||
            found->second.group <= one.group || !exact_version(required.specifier))
            continue;
        if (differs_by_build(required, one.build)) continue;
        const Installed& other = found->second;
        if (required.name == "torch" && !breaks_with(facts, one, required, other)) continue;
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
