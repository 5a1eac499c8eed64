// Device code is compiled in an image without nvcc.
// SPDX-License-Identifier: Apache-2.0
#include "judge/recipe_questions.hpp"

namespace ptxguard {
namespace {

// "12.1.1-runtime-ubuntu22.04" -> "12.1.1-devel-ubuntu22.04"
std::string devel_of(const RecipeImage& image) {
    std::string name = name_of(image);
    const std::string flavour = std::string("-") + to_string(image.flavour);
    const std::size_t at = name.rfind(flavour);
    return at == std::string::npos ? "" : name.replace(at, flavour.size(), "-devel");
}

}  // namespace

PTXGUARD_RULE(CC608) {
    const RecipeFacts& recipe = scenario.recipe;
    if (!recipe.no_nvcc || recipe.compiles.empty()) return;
    // A package may have a wheel for just this case; a command of the recipe's own has not.
    const CompileStep* step = &recipe.compiles.front();
    for (const CompileStep& one : recipe.compiles)
        if (step->package.empty() == false && one.package.empty()) step = &one;
    Finding& finding =
        add(findings, "CC608", step->package.empty() ? Level::error : Level::warning, step->what,
            "'" + step->what + "' compiles device code, and " + name_of(recipe.image) + " has no nvcc");
    finding.found = {{"step", step->what, step->origin}, evidence_of(recipe.image)};
    finding.expected = {{"image", "one with nvcc", {}}};
    finding.because = step->package.empty()
                          ? "base and runtime images contain libraries only; nvcc is in the devel image"
                          : "without a wheel for this Python, framework and CUDA, " + step->package +
                                " is compiled with nvcc, which is in the devel image only";
    const std::string devel = devel_of(recipe.image);
    if (!devel.empty()) finding.fix.push_back({FixKind::edit, "FROM " + devel});
    finding.fix.push_back(
        {FixKind::manual, "compile in a stage of the devel image, and copy the result with COPY --from"});
}

}  // namespace ptxguard
