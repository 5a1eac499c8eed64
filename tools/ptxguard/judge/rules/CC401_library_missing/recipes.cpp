// SPDX-License-Identifier: Apache-2.0
#include "facts/facts.hpp"
#include "judge/framework_questions.hpp"
#include "judge/recipe_questions.hpp"
#include "judge/rules/CC401_library_missing/parts.hpp"
#include "model/named_cuda.hpp"
#include "model/ranges.hpp"
#include "model/text.hpp"

namespace ptxguard {
namespace {

// Another index's builds may be for a system that brings the libraries: those for Jetson.
bool is_of_pypi(const RecipeFacts& recipe, const RecipePin& pin) {
    return all_of(indexes_of(recipe, pin),
                  [](const RecipeIndex* index) { return index->is_pypi() || index->use == IndexUse::links; });
}

// The package for CUDA of a framework: onnxruntime-gpu, cupy-cuda12x. Others have builds that run on CPUs
// too.
const RecipePin* pin_for_cuda(const RecipeFacts& recipe, const Expectation& one) {
    for (const RecipePin& pin : recipe.pins)
        if (pin.by_pip() && is_of_pypi(recipe, pin) &&
            (pin.package == one.package || pin.package == SAY("{}-gpu", one.package)) &&
            is_named_for_gpus(pin.package) && pin.extras.empty() && !pin.open && !pin.origin.overridable)
            return &pin;
    return nullptr;
}

// Something beside it may have CUDA's libraries: packages of NVIDIA, conda or apt, torch, jax[cuda12].
bool may_bring_libraries(const RecipeFacts& recipe, const RecipePin& own) {
    const bool by_package = any_of(recipe.pins, [&](const RecipePin& pin) {
        if (&pin == &own || pin.package == own.package) return false;
        for (const char* start :
             {"torch", "nvidia-", "cuda", "cudnn", "libcud", "libcublas", "tensorrt", "jax"})
            if (starts_with(pin.package, start)) return true;
        return pin.open || (pin.by == "conda" && pin.package != "python" && pin.package != "pip");
    });
    const bool required = any_of(recipe.installed, [&](const Installed& one) {
        return one.package != own.package && (one.cuda || starts_with(one.package, "nvidia-"));
    });
    return by_package || required;
}

// No package is there before the first command, and nothing that is known brings CUDA's libraries. The base
// images of CUDA have its runtime and nothing else.
bool has_no_libraries(const Scenario& scenario) {
    const RecipeFacts& recipe = scenario.recipe;
    const bool plain =
        !recipe.image.cuda || (recipe.image.flavour == ImageFlavour::base && recipe.libraries_complete);
    return plain && recipe.starts_bare && recipe.no_nvcc && !recipe.libraries_cuda && !recipe.builds_others &&
           !recipe.platform && scenario.entries.empty() && scenario.selectors.empty() &&
           scenario.toolkits.empty();
}

// What that pin takes; the newest release where nothing determines one.
struct TakenBuild {
    Known<Version> cuda, cudnn;
};
TakenBuild taken_build(const RecipeFacts& recipe, const Facts& facts, const Expectation& one,
                       const RecipePin& pin) {
    if (one.cuda) return {one.cuda, one.cudnn};
    const Installed* newest = one.version ? nullptr : newest_of(recipe, pin.package);
    const FrameworkRelease* row = newest ? facts.framework_release(pin.package, *newest->version) : nullptr;
    TakenBuild taken;
    if (row && row->cuda) taken.cuda = {*row->cuda, row->origin};
    if (row && row->cudnn) taken.cudnn = {*row->cudnn, row->origin};
    return taken;
}

}  // namespace

// onnxruntime-gpu on python:3.11-slim: nothing there is of CUDA, and nothing installs it.
void judge_image_without_cuda(const Scenario& scenario, const Facts& facts, Findings& findings) {
    const RecipeFacts& recipe = scenario.recipe;
    if (!is_recipe(scenario) || !has_no_libraries(scenario)) return;
    const bool base = recipe.image.cuda.value.has_value();
    for (const Expectation& one : scenario.expectations) {
        const RecipePin* pin = pin_for_cuda(recipe, one);
        if (!pin || never_released(one) || !loads_libraries_here(scenario, one) ||
            may_bring_libraries(recipe, *pin))
            continue;
        const TakenBuild taken = taken_build(recipe, facts, one, *pin);
        if (!taken.cuda || (base && taken.cudnn)) continue;  // CC305
        const std::string cuda = std::to_string(taken.cuda->major());
        add(findings, "CC401", Level::warning, *pin,
            SAY("{} loads the libraries of CUDA {}, and nothing installs them on {}", text_of(*pin), cuda,
                name_of(recipe.image)))
            .of_package(pin->package)
            .found(evidence_of(recipe.image))
            .expected("CUDA", cuda, taken.cuda.origin)
            .because(base ? "the base flavour has only CUDA's runtime: no cuBLAS, no NVRTC"
                          : "the package has none of NVIDIA's libraries, and a container gets only those of "
                            "the driver")
            .by_hand(taken.cudnn
                         ? SAY("start from an image with CUDA {} and cuDNN {}", cuda, taken.cudnn->major())
                         : SAY("start from an image with CUDA {}", cuda));
    }
}

}  // namespace ptxguard
