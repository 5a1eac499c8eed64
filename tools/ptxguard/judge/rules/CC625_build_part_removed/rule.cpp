// CC625 build_part_removed: a build uses a library or an interface that its toolkit, or its cuDNN, no longer
// has.
// SPDX-License-Identifier: Apache-2.0
#include "facts/recipe_tables.hpp"
#include "judge/recipe_questions.hpp"

namespace ptxguard {
namespace {

bool is_after(const std::optional<Version>& last, const Version& here) {
    return last && *last < here && !same_release(*last, here);
}

void report(const PartRequest& one, const BuildFeature& row, const std::string& of, const Version& last,
            const Known<Version>& here, Findings& findings) {
    const auto words = [&](const Version& one) {
        return of == "cuDNN" ? std::to_string(one.major()) : one.release();
    };
    const std::string release = words(*here), end = words(last);
    add(findings, "CC625", Level::error, one.by,
        SAY("{} {} has no {}: the last one with it is {}", of, release, one.part, end))
        .found("request", one.by, one.origin)
        .found(of, release, here.origin)
        .expected(of, SAY("<= {}", end), row.origin)
        .at(one.origin)
        .because("the build ends with an error: what it names is not found")
        .by_hand(SAY("use {}", row.instead))
        .by_hand(SAY("use {} {}", of == "CUDA" ? "a toolkit of CUDA" : of, end));
}

// That of the image, or of a package.
Known<Version> cudnn_here(const RecipeFacts& recipe) {
    return recipe.libraries_cudnn ? recipe.libraries_cudnn : recipe.image.cudnn;
}

}  // namespace

PTXGUARD_RULE(CC625) {
    if (!is_recipe(scenario)) return;
    const Toolkit* toolkit = scenario.build_toolkit();
    const Part* nvcc = toolkit ? toolkit->part(PartKind::nvcc) : nullptr;
    const Known<Version> cudnn = cudnn_here(scenario.recipe);
    for (const PartRequest& one : scenario.recipe.parts) {
        const BuildFeature* row = recipe_tables(facts).build_feature(one.part);
        if (!row) continue;
        if (nvcc && nvcc->version && is_after(row->cuda_to, *nvcc->version))
            report(one, *row, "CUDA", *row->cuda_to, nvcc->version, findings);
        if (cudnn && row->cudnn_to && row->cudnn_to->major() < cudnn->major())
            report(one, *row, "cuDNN", *row->cudnn_to, cudnn, findings);
    }
}

}  // namespace ptxguard
