// SPDX-License-Identifier: Apache-2.0
#include "facts/index_builds.hpp"
#include "facts/variants.hpp"
#include "judge/recipe_questions.hpp"
#include "judge/rules/CC614_index_without_effect/parts.hpp"
#include "model/ranges.hpp"

namespace ptxguard {
namespace {

// What a command requests of an index with a folder for each CUDA, beside PyPI.
struct Listed {
    const RecipeIndex* index = nullptr;
    const IndexBuilds* row = nullptr;  // of the release; of any one if the release is not known
    bool of_release = false;
};

Listed listed(const RecipeFacts& recipe, const Facts& facts, const RecipePin& pin) {
    const bool plain = pin.is_from_pypi() && pin.wheel.empty() && !pin.source && !pin.open;
    if (!plain || (pin.version && !pin.version->local().empty())) return {};
    Listed found;
    for (const IndexBuilds& row : facts.index_builds()) {
        if (row.package != pin.package || !row.else_for_cpus) continue;
        for (const RecipeIndex* index : indexes_of(recipe, pin))
            if (cuda_of_tag(index->build) && index->url.find(row.index) != npos) found.index = index;
        found.row = &row;
    }
    if (!found.index) return {};
    if (const IndexBuilds* row = pin.version ? index_builds(facts, pin.package, *pin.version) : nullptr) {
        found.row = row;
        found.of_release = true;
    }
    return found;
}

// Another index may have it, and CMAKE_ARGS may make it one for CUDA.
bool is_decided(const RecipeFacts& recipe, const RecipePin& pin, const Listed& found) {
    const auto indexes = indexes_of(recipe, pin);
    return found.index->use == IndexUse::extra && !pin.first_index &&
           all_of(indexes,
                  [&](const RecipeIndex* index) { return index == found.index || index->is_pypi(); }) &&
           none_of(recipe.compiles, [&](const CompileStep& one) { return one.package == pin.package; });
}

void report_unlisted(const RecipePin& pin, const Listed& found, const Facts& facts, bool folder, bool windows,
                     Findings& findings) {
    const std::string& build = found.index->build;
    const std::string around = folder ? indexed_around(facts, *found.row, build, windows) : "";
    const Composed finding =
        add(findings, "CC614", Level::warning, found.index->url,
            folder ? SAY("{} does not have {}: pip builds PyPI's source archive, for CPUs", found.index->url,
                         text_of(pin))
                   : SAY("there is no index {}: pip builds PyPI's source archive of {}, for CPUs",
                         found.index->url, pin.package))
            .found("index", found.index->url, found.index->origin)
            .found(evidence_of(pin))
            .expected("index", folder ? SAY("{} {}", pin.package, around) : "a folder that exists",
                      found.row->origin)
            .because("pip searches all indexes, and takes what another one has");
    if (folder)
        finding.by_hand(SAY("pin a release that this index has: {}", around));
    else
        finding.by_hand("use the folder of a CUDA that the project builds for");
}

}  // namespace

void judge_unlisted(const RecipeFacts& recipe, const Facts& facts, Findings& findings) {
    const bool windows = recipe.platform && *recipe.platform == "Windows";
    for (const RecipePin& pin : recipe.pins) {
        const Listed found = listed(recipe, facts, pin);
        if (!found.index || !is_decided(recipe, pin, found)) continue;
        const std::string& build = found.index->build;
        const auto cuda = cuda_of_tag(build);
        const bool folder = has_folder(facts, *found.row, build);
        const bool lacks = folder ? found.of_release && !found.row->has(build, windows)
                                  : cuda && cuda < newest_cuda(facts, *found.row);
        if (lacks) report_unlisted(pin, found, facts, folder, windows, findings);
    }
}

}  // namespace ptxguard
