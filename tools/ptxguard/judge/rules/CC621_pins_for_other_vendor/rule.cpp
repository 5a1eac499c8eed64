// Packages for NVIDIA's GPUs beside a framework for those of another vendor.
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "judge/framework_questions.hpp"
#include "judge/recipe_questions.hpp"
#include "model/ranges.hpp"

namespace ptxguard {
namespace {

bool is_for_nvidia(const RecipePin& pin) {
    if (pin.by == "apt") return false;
    if (starts_with(pin.package, "nvidia-cu") || starts_with(pin.package, "cupy-cuda")) return true;
    if (pin.package == "onnxruntime-gpu" || pin.package == "nvidia-nccl-cu12") return true;
    return pin.version && cuda_of_tag(pin.version->local()).has_value();
}

// A lock file with builds for several vendors, selected by an extra, as are their packages.
bool is_one_of_several(const RecipeFacts& recipe, const Expectation& framework) {
    const auto is_choice = [&](const RecipePin& pin) {
        return pin.package == framework.package && pin.origin.overridable;
    };
    return framework.version.origin.overridable &&
           std::count_if(recipe.pins.begin(), recipe.pins.end(), is_choice) > 1;
}

// A file or an image whose name says ROCm.
void judge_name(const RecipeFacts& recipe, Findings& findings) {
    for (const RecipePin& pin : recipe.pins) {
        const bool of_file = recipe.vendor.origin.line == 0;
        if (!is_for_nvidia(pin) || (of_file && pin.origin.path != recipe.vendor.origin.path)) continue;
        add(findings, "CC621", Level::warning, pin.package,
            SAY("{} is for NVIDIA's GPUs, and {} is for AMD's GPUs (ROCm)", text_of(pin),
                of_file ? recipe.vendor.origin.path : name_of(recipe.image)))
            .found(evidence_of(pin))
            .found("name", *recipe.vendor, recipe.vendor.origin)
            .expected(pin.by, "packages for one vendor", {})
            .because("the package finds no GPU that it can use")
            .by_hand(SAY("remove {}, or use its build for that vendor", pin.package));
    }
}

}  // namespace

PTXGUARD_RULE(CC621) {
    if (!is_recipe(scenario)) return;
    const bool has_framework = any_of(scenario.expectations, [](const Expectation& one) {
        return one.is_of(Vendor::rocm) || one.is_of(Vendor::xpu);
    });
    if (scenario.recipe.vendor && !has_framework) judge_name(scenario.recipe, findings);
    for (const Expectation& one : scenario.expectations) {
        if (!one.is_of(Vendor::rocm) && !one.is_of(Vendor::xpu)) continue;
        if (is_one_of_several(scenario.recipe, one)) continue;
        for (const RecipePin& pin : scenario.recipe.pins) {
            if (!is_for_nvidia(pin) || pin.package == one.package) continue;
            const std::string vendor = one.is_of(Vendor::rocm) ? "AMD's GPUs (ROCm)" : "Intel's GPUs";
            add(findings, "CC621", Level::warning, pin.package,
                SAY("{} is for NVIDIA's GPUs, and {} for {}", text_of(pin), name_of(one), vendor))
                .found(evidence_of(pin))
                .found(one.package, name_of(one), one.vendor.origin)
                .expected(pin.by, "packages for one vendor", {})
                .because("the package finds no GPU that it can use")
                .by_hand(SAY("remove {}, or use its build for that vendor", pin.package));
        }
    }
}

}  // namespace ptxguard
