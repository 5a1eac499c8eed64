// Releases and local versions that the indexes of one CUDA do not have.
// SPDX-License-Identifier: Apache-2.0
#include "facts/index_builds.hpp"
#include "facts/variants.hpp"
#include "model/ranges.hpp"
#include "model/text.hpp"
#include "recipes/resolution/refusals.hpp"

namespace ptxguard::recipes {
namespace {

// "xformers==0.0.23", the name of the build for CUDA 12.1, or all that exist.
std::string names_of(const IndexBuilds& row, const std::string& release, const std::string& build) {
    if (contains(row.builds, build)) return release;
    std::vector<std::string> names;
    if (row.builds.empty()) names.push_back(release);  // PyPI's
    for (const std::string& one : row.builds)
        names.push_back(row.has_local(one) ? release + "+" + one : release + " of " + one);
    for (const std::string& one : row.local)
        if (!contains(row.builds, one)) names.push_back(release + "+" + one);
    return names.empty() ? release : joined(names, ", ");
}

// The index of the command that the row is about, if pip searches no other one.
const RecipeIndex* only_index(const RecipeFacts& recipe, const RecipePin& pin, const IndexBuilds& row) {
    const RecipeIndex* found = nullptr;
    bool replaces = false;
    for (const RecipeIndex& index : recipe.indexes) {
        if (index.group != pin.group) continue;
        if (found || index.build.empty() || index.url.find(row.index) == npos) return nullptr;
        found = &index;
        replaces = index.use == IndexUse::only || (index.use == IndexUse::extra && pin.first_index);
    }
    return replaces ? found : nullptr;
}

}  // namespace

// xformers==0.0.23+cu121: the build for CUDA 12.1 is xformers==0.0.23 of PyTorch's index.
void Refusals::refuse_local(const RecipePin& pin) {
    const std::string local = lower(pin.version->local());
    const IndexBuilds* row = cuda_of_tag(local) ? index_builds(m_facts, pin.package, *pin.version) : nullptr;
    if (!row || row->index.empty() || row->has_local(local) || !asks_indexes(pin)) return;
    if (feeds_of(m_facts, m_recipe, pin).other) return;
    RefusedPin one = refused(pin, Refusal::no_local);
    one.by = local;
    one.by_origin = pin.origin;
    one.wanted = names_of(*row, pin.package + "==" + pin.version->without_local(), local);
    one.wanted_origin = row->origin;
    m_recipe.refused.push_back(std::move(one));
}

// xformers==0.0.28 --index-url https://download.pytorch.org/whl/cu126
void Refusals::refuse_unlisted(const RecipePin& pin) {
    const bool plain = pin.version->local().empty();
    const IndexBuilds* row = plain ? index_builds(m_facts, pin.package, *pin.version) : nullptr;
    const RecipeIndex* index =
        row && !row->builds.empty() && asks_indexes(pin) ? only_index(m_recipe, pin, *row) : nullptr;
    const bool windows = m_markers.system == "win32";
    if (!index || !cuda_of_tag(index->build) || row->has(index->build, windows)) return;
    RefusedPin one = refused(pin, Refusal::no_build);
    one.by = index->build;
    one.by_origin = index->origin;
    std::vector<std::string> there;
    for (const std::string& build : row->builds)
        if (row->has(build, windows)) there.push_back(build);
    if (there.empty()) {
        one.why = Refusal::no_platform;
        one.pinned += " of " + index->url;
        one.by = "Windows";
        one.by_origin = pin.origin;
        there = {"Linux"};
    }
    one.wanted = joined(there, ", ");
    one.wanted_origin = row->origin;
    m_recipe.refused.push_back(std::move(one));
}

}  // namespace ptxguard::recipes
