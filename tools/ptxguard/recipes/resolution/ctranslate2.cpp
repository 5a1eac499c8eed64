// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "facts/pypi.hpp"
#include "facts/recipe_tables.hpp"
#include "model/ranges.hpp"
#include "model/scenario.hpp"
#include "model/text.hpp"
#include "python/specifier.hpp"
#include "recipes/resolution/companions.hpp"

namespace ptxguard::recipes {
namespace {

// Whether no release that the pin of the package which brings it accepts would take one for an older CUDA:
// faster-whisper>=1.1 requires CTranslate2 4, and with it CUDA 12.
bool excludes_older(const Facts& facts, const RecipeFacts& recipe, const Installed& taken,
                    const Version& last_of_older) {
    const std::string by = taken.required_by.substr(0, taken.required_by.find(' '));
    const auto* pin = first_where(recipe.pins, [&](const RecipePin& one) { return one.package == by; });
    const PypiPackage* table = pin ? pypi_package(facts, by) : nullptr;
    if (!table || pin->specifier.empty()) return false;
    bool any = false;
    for (const PypiRelease& release : table->releases) {
        const PypiRow& row = table->row(release);
        if (row.yanked || !accepts(pin->specifier, release.version)) continue;
        const auto* required =
            first_where(row.required, [&](const Requirement& one) { return one.name == taken.package; });
        if (!required || accepts(required->specifier, last_of_older)) return false;
        any = true;
    }
    return any;
}

}  // namespace

void add_ctranslate2(const Facts& facts, RecipeFacts& recipe, std::vector<Expectation>& expectations) {
    const auto* taken =
        first_where(recipe.installed, [](const Installed& one) { return one.package == "ctranslate2"; });
    if (!taken) return;
    const auto& rows = recipe_tables(facts).ctranslate2;
    const auto found = std::find_if(
        rows.begin(), rows.end(), [&](const Ctranslate2Build& row) { return *taken->version <= *row.last; });
    if (found == rows.end()) return;
    Origin origin = taken->asked;
    origin.certainty = Certainty::predicted;
    const Ctranslate2Build* older = nullptr;  // the last for another CUDA
    for (auto row = rows.begin(); row != found; ++row)
        if (row->cuda->major() != found->cuda->major()) older = &*row;
    const bool certain = taken->newest && older && excludes_older(facts, recipe, *taken, *older->last);
    origin.overridable = origin.overridable || (taken->newest && !certain);
    Expectation one;
    one.framework = "CTranslate2";
    one.package = "ctranslate2";
    one.how = Installation::wheel;
    one.version = taken->version;
    one.cuda = {*found->cuda, origin};
    if (found->cudnn) one.cudnn = {*found->cudnn, origin};
    one.vendor = {Vendor::cuda, origin};
    add_once(recipe.library_users, one.package);
    expectations.push_back(std::move(one));
}

}  // namespace ptxguard::recipes
