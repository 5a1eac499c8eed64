// An image of NVIDIA's for a release of Ubuntu for which that CUDA was never packed.
// SPDX-License-Identifier: Apache-2.0
#include "judge/recipe_questions.hpp"

namespace ptxguard {
namespace {

// The first CUDA release with images for it (the lists of tags of nvidia/cuda, withdrawn ones included).
struct UbuntuImages {
    const char* system;
    const char* first;
};
const UbuntuImages k_first[] = {{"ubuntu20.04", "11.0"}, {"ubuntu22.04", "11.7"}, {"ubuntu24.04", "12.5"}};

}  // namespace

PTXGUARD_RULE(CC616) {
    const RecipeImage& image = scenario.recipe.image;
    if (!is_recipe(scenario) || image.name != "nvidia/cuda" || !image.cuda) return;
    for (const UbuntuImages& row : k_first) {
        const Version first = *parse_version(row.first);
        if (image.system != row.system || *image.cuda >= first) continue;
        Finding& finding = add(findings, "CC616", Level::warning, name_of(image),
                               name_of(image) + " was never published: images for " + row.system +
                                   " begin with CUDA " + row.first);
        finding.found = {evidence_of(image)};
        finding.expected = {{"CUDA of an image for " + image.system, ">= " + first.text,
                             Origin::from_table("the Ubuntu releases that each CUDA was published for")}};
        finding.because = "docker ends with 'manifest unknown'";
        finding.fix = {{FixKind::manual, "an older Ubuntu in the tag, or CUDA " + first.text + " or newer"}};
    }
}

}  // namespace ptxguard
