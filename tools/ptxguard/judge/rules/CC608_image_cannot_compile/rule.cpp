// Device code is compiled in an image without nvcc.
// SPDX-License-Identifier: Apache-2.0

#include "facts/recipe_tables.hpp"
#include "facts/tool_search.hpp"
#include "judge/recipe_questions.hpp"
#include "model/ranges.hpp"

namespace ptxguard {
namespace {

// "12.1.1-runtime-ubuntu22.04" -> "12.1.1-devel-ubuntu22.04"
std::string devel_of(const RecipeImage& image) {
    std::string name = name_of(image);
    const std::string flavour = std::string("-") + to_string(image.flavour);
    const std::size_t at = name.rfind(flavour);
    return at == npos ? "" : name.replace(at, flavour.size(), "-devel");
}

// Packages that start nvcc when their kernels are first used: those in facts/tool_search/jit.json that need
// it, and those without a row there, since their wheels on other indexes contain compiled kernels.
bool compiles_at_use(const Facts& facts, const RecipePin& pin) {
    const auto& names = recipe_tables(facts).compiled_at_use;
    if (contains(names, pin.package)) return true;
    const auto& searches = facts.tool_searches();
    return any_of(searches, [&](const ToolSearch& search) {
        if (search.tool != "nvcc" || search.package != pin.package || !search.when_none) return false;
        return !pin.version || search.is_for(*pin.version);
    });
}

// Packages with its compiled kernels, separated by blanks.
std::string compiled_kernels_of(const RecipePin& pin) {
    return pin.package == "flashinfer-python" ? " flashinfer-jit-cache flashinfer-cubin " : "";
}

// "tilelang[nvcc]" requires nvidia-cuda-nvcc.
bool brings_nvcc(const RecipePin& pin) { return contains(pin.extras, "nvcc"); }

bool installs(const RecipeFacts& recipe, const std::string& names) {
    return any_of(recipe.pins,
                  [&](const RecipePin& pin) { return names.find(SAY(" {} ", pin.package)) != npos; });
}

void judge_use(const RecipeFacts& recipe, const Facts& facts, Findings& findings) {
    // A compiler from another package, which these programs may find.
    if (installs(recipe, " nvidia-cuda-nvcc nvidia-cuda-nvcc-cu12 cuda-toolkit cuda-nvcc ")) return;
    for (const RecipePin& pin : recipe.pins) {
        const bool own_build = pin.version && !pin.version->local().empty();
        const bool other_index = any_of(recipe.indexes, [&](const RecipeIndex& index) {
            return index.group == pin.group && !index.is_pypi();
        });
        const std::string instead = compiled_kernels_of(pin);
        if (!pin.by_pip() || own_build || other_index || brings_nvcc(pin) || !compiles_at_use(facts, pin) ||
            installs(recipe, instead))
            continue;
        Composed finding = add(findings, "CC608", Level::warning, pin,
                               SAY("{} compiles its kernels when they are first used, and {} has no nvcc",
                                   pin.package, name_of(recipe.image)))
                               .found(evidence_of(recipe.image))
                               .expected("image", "one with nvcc", {})
                               .because("it starts nvcc of CUDA_HOME or PATH at run time");
        if (!instead.empty())
            finding.by_hand(
                "install flashinfer-jit-cache from the index of its CUDA release below "
                "https://flashinfer.ai/whl/");
        if (const std::string devel = devel_of(recipe.image); !devel.empty())
            finding.edit(SAY("FROM {}", devel));
    }
}

// A package may have a wheel for just this case; a command in the recipe does not. An image of NVIDIA or
// PyTorch is for a GPU; in other images, a build that goes on without nvcc is one for CPUs.
const CompileStep* compiled_in(const RecipeFacts& recipe, bool cuda) {
    const CompileStep* found = nullptr;
    for (const CompileStep& one : recipe.compiles)
        if ((cuda || one.needs_nvcc) && (!found || (!found->package.empty() && one.package.empty())))
            found = &one;
    return found;
}

}  // namespace

PTXGUARD_RULE(CC608) {
    const RecipeFacts& recipe = scenario.recipe;
    if (!recipe.no_nvcc) return;
    const bool cuda = recipe.image.flavour != ImageFlavour::unknown;
    if (cuda) judge_use(recipe, facts, findings);
    const CompileStep* step = compiled_in(recipe, cuda);
    if (!step) return;
    Composed finding =
        add(findings, "CC608", step->package.empty() ? Level::error : Level::warning, step->what,
            SAY("'{}' compiles device code, and {} has no nvcc", step->what, name_of(recipe.image)))
            .found("step", step->what, step->origin)
            .found(evidence_of(recipe.image))
            .expected("image", "one with nvcc", {})
            .because(!cuda
                         ? "nothing in the recipe installs nvcc, and the build ends with an error without it"
                     : step->package.empty()
                         ? "base and runtime images contain libraries only; nvcc is in the devel image"
                         : SAY("without a wheel for this Python, framework and CUDA, {} is compiled with "
                               "nvcc, which is in the devel image only",
                               step->package));
    const std::string devel = devel_of(recipe.image);
    if (!devel.empty()) finding.edit(SAY("FROM {}", devel));
    if (!cuda) finding.by_hand("start from a devel image: FROM nvidia/cuda:...-devel-...");
    finding.by_hand("compile in a stage of the devel image, and copy the result with COPY --from");
}

}  // namespace ptxguard
