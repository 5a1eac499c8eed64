// CC625 build_part_removed: a build links a library that its toolkit no longer has.
// SPDX-License-Identifier: Apache-2.0
#include "facts/recipe_tables.hpp"
#include "judge/recipe_questions.hpp"

namespace ptxguard {

PTXGUARD_RULE(CC625) {
    const Toolkit* toolkit = is_recipe(scenario) ? scenario.build_toolkit() : nullptr;
    const Part* nvcc = toolkit ? toolkit->part(PartKind::nvcc) : nullptr;
    if (!nvcc || !nvcc->version) return;
    for (const PartRequest& one : scenario.recipe.parts) {
        const BuildFeature* row = recipe_tables(facts).build_feature(one.part);
        const bool gone = row && row->cuda_to && *row->cuda_to < *nvcc->version &&
                          !same_release(*row->cuda_to, *nvcc->version);
        if (!gone) continue;
        const std::string cuda = nvcc->version->release();
        add(findings, "CC625", Level::error, one.by,
            SAY("CUDA {} has no {}: the last one with it is {}", cuda, one.part, row->cuda_to->release()))
            .found("request", one.by, one.origin)
            .found("CUDA", cuda, nvcc->version.origin)
            .expected("CUDA", SAY("<= {}", row->cuda_to->release()), row->origin)
            .at(one.origin)
            .because("the build ends with an error: the library or target is not found")
            .by_hand(SAY("use {}", row->instead))
            .by_hand(SAY("use a toolkit of CUDA {}", row->cuda_to->release()));
    }
}

}  // namespace ptxguard
