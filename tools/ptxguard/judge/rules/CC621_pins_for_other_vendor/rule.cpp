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

// Pins of one cause: torch's build for CUDA brings a dozen of NVIDIA's libraries into a lock file.
using Pins = std::vector<const RecipePin*>;

template <typename Wanted>
std::vector<Pins> by_cause(const RecipeFacts& recipe, const Wanted& wanted) {
    std::vector<Pins> causes;
    Pins libraries;
    for (const RecipePin& pin : recipe.pins) {
        if (!is_for_nvidia(pin) || !wanted(pin)) continue;
        if (starts_with(pin.package, "nvidia-"))
            libraries.push_back(&pin);
        else
            causes.push_back({&pin});
    }
    if (!libraries.empty()) causes.push_back(std::move(libraries));
    return causes;
}

Composed say(const Pins& pins, const std::string& other, const std::string& vendor, Findings& findings) {
    const RecipePin& first = *pins.front();
    const bool one = pins.size() == 1;
    const std::string are =
        one ? SAY("{} is", text_of(first)) : SAY("{} and {} more are", text_of(first), pins.size() - 1);
    return add(findings, "CC621", Level::warning, first.package,
               SAY("{} for NVIDIA's GPUs, and {} for {}", are, other, vendor))
        .found(evidence_of(first))
        .expected(first.by, "packages for one vendor", {})
        .because(one ? "the package finds no GPU that it can use"
                     : "the packages find no GPU that they can use")
        .by_hand(one ? SAY("remove {}, or use its build for that vendor", first.package)
                     : "remove them, and use a build for that vendor of what requires them");
}

// A file or an image whose name says ROCm.
void judge_name(const RecipeFacts& recipe, Findings& findings) {
    const bool of_file = recipe.vendor.origin.line == 0;
    const std::string name = of_file ? recipe.vendor.origin.path : name_of(recipe.image);
    const auto is_there = [&](const RecipePin& pin) {
        return !of_file || pin.origin.path == recipe.vendor.origin.path;
    };
    for (const Pins& pins : by_cause(recipe, is_there))
        say(pins, SAY("{} is", name), "AMD's GPUs (ROCm)", findings)
            .found("name", *recipe.vendor, recipe.vendor.origin);
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
        const std::string vendor = one.is_of(Vendor::rocm) ? "AMD's GPUs (ROCm)" : "Intel's GPUs";
        const auto is_beside = [&](const RecipePin& pin) { return pin.package != one.package; };
        for (const Pins& pins : by_cause(scenario.recipe, is_beside))
            say(pins, name_of(one), vendor, findings).found(one.package, name_of(one), one.vendor.origin);
    }
}

}  // namespace ptxguard
