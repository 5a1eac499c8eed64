// An NVIDIA image for a release of Ubuntu that never had an image with that CUDA.
// SPDX-License-Identifier: Apache-2.0
#include "facts/recipe_tables.hpp"
#include "judge/recipe_questions.hpp"

namespace ptxguard {
PTXGUARD_RULE(CC616) {
    const RecipeImage& image = scenario.recipe.image;
    if (!is_recipe(scenario) || image.name != "nvidia/cuda" || !image.cuda) return;
    for (const UbuntuImages& row : recipe_tables(facts).ubuntu_images) {
        const Version& first = *row.cuda_from;
        if (image.system != row.system || *image.cuda >= first) continue;
        Finding& finding = add(findings, "CC616", Level::warning, name_of(image),
                               name_of(image) + " was never published: images for " + row.system +
                                   " begin with CUDA " + first.text);
        finding.found = {evidence_of(image)};
        finding.expected = {{"CUDA of an image for " + image.system, ">= " + first.text,
                             row.origin}};
        finding.because = "docker ends with 'manifest unknown'";
        finding.fix = {{FixKind::manual, "an older Ubuntu in the tag, or CUDA " + first.text + " or newer"}};
    }
}

}  // namespace ptxguard
