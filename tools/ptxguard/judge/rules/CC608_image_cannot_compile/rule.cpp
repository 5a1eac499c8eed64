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
    return at == std::string::npos ? "" : name.replace(at, flavour.size(), "-devel");
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
    return any_of(recipe.pins, [&](const RecipePin& pin) {
        return names.find(" " + pin.package + " ") != std::string::npos;
    });
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
        Finding& finding = add(findings, "CC608", Level::warning, text_of(pin),
                               pin.package + " compiles its kernels when they are first used, and " +
                                   name_of(recipe.image) + " has no nvcc");
        finding.found = {evidence_of(pin), evidence_of(recipe.image)};
        finding.expected = {{"image", "one with nvcc", {}}};
        finding.because = "it starts nvcc of CUDA_HOME or PATH at run time";
        if (!instead.empty())
            finding.fix.push_back({FixKind::manual,
                                   "install flashinfer-jit-cache from the index of its CUDA release below "
                                   "https://flashinfer.ai/whl/"});
        if (const std::string devel = devel_of(recipe.image); !devel.empty())
            finding.fix.push_back({FixKind::edit, "FROM " + devel});
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
    Finding& finding =
        add(findings, "CC608", step->package.empty() ? Level::error : Level::warning, step->what,
            "'" + step->what + "' compiles device code, and " + name_of(recipe.image) + " has no nvcc");
    finding.found = {{"step", step->what, step->origin}, evidence_of(recipe.image)};
    finding.expected = {{"image", "one with nvcc", {}}};
    finding.because =
        !cuda ? "nothing in the recipe installs nvcc, and the build ends with an error without it"
        : step->package.empty() ? "base and runtime images contain libraries only; nvcc is in the devel image"
                                : "without a wheel for this Python, framework and CUDA, " + step->package +
                                      " is compiled with nvcc, which is in the devel image only";
    const std::string devel = devel_of(recipe.image);
    if (!devel.empty()) finding.fix.push_back({FixKind::edit, "FROM " + devel});
    if (!cuda)
        finding.fix.push_back({FixKind::manual, "start from a devel image: FROM nvidia/cuda:...-devel-..."});
    finding.fix.push_back(
        {FixKind::manual, "compile in a stage of the devel image, and copy the result with COPY --from"});
}

}  // namespace ptxguard
