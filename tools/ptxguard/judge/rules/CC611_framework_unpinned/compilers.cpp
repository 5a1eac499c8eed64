// SPDX-License-Identifier: Apache-2.0
#include "facts/framework_traits.hpp"
#include "judge/framework_questions.hpp"
#include "judge/recipe_questions.hpp"
#include "judge/rules/CC611_framework_unpinned/parts.hpp"
#include "model/ranges.hpp"

namespace ptxguard {
namespace {

// The CUDA of the frameworks that pip or conda installs, else of conda's pins.
Known<Version> cuda_beside(const Scenario& scenario, bool bring_ptxas) {
    for (const Expectation& one : scenario.expectations) {
        if (!one.cuda || one.cuda->numbers.size() < 2 || never_released(one)) continue;
        if (!bring_ptxas || one.framework == "PyTorch") return one.cuda;
        if (!loads_libraries_here(scenario, one)) return one.cuda;
    }
    for (const RecipePin& pin : scenario.recipe.pins) {
        const bool selects = pin.package == "pytorch-cuda" || pin.package == "cuda-version" ||
                             starts_with(pin.package, "nvcc_linux");
        if (pin.by == "conda" && selects && pin.version) return pin.version;
    }
    return {};
}

bool is_compiler(const std::string& package) {
    for (const char* one : {"cuda-nvcc", "cuda-toolkit", "cuda-compiler", "cuda"})
        if (package == one) return true;
    return false;
}

// conda's cuda and cuda-toolkit require the libraries of their own release: another pin on those of one
// release chooses theirs.
bool is_held(const RecipeFacts& recipe, const RecipePin& pin) {
    if (pin.package != "cuda" && pin.package != "cuda-toolkit") return false;
    static const std::vector<std::string> of_one_release = {
        "pytorch-cuda",       "cuda",        "cuda-toolkit", "cuda-runtime", "cuda-libraries",
        "cuda-libraries-dev", "cuda-cudart", "cuda-nvcc",    "cuda-compiler"};
    return any_of(of_one_release, [&](const std::string& name) {
        const RecipePin* other = conda_pin(recipe, name);
        return other && other != &pin && !floats_upwards(*other);
    });
}

// nvidia-cuda-nvcc, where the framework does not bring a ptxas of a fixed release.
bool is_newest_wheel(const Scenario& scenario, const RecipePin& pin) {
    if (!pin.by_pip() || (pin.package != "nvidia-cuda-nvcc" && pin.package != "nvidia-cuda-tileiras"))
        return false;
    const bool framework_has_ptxas =
        any_of(scenario.recipe.pins, [](const RecipePin& one) { return contains(one.extras, "and-cuda"); });
    return scenario.project.wanted || framework_has_ptxas || !fixed_cuda(scenario);
}

// conda's cuda-nvcc, which no other pin holds at a release.
bool is_newest_of_conda(const Scenario& scenario, const RecipePin& pin) {
    const RecipeFacts& recipe = scenario.recipe;
    if (pin.by != "conda" || !is_compiler(pin.package) || is_held(recipe, pin)) return false;
    const bool other_nvcc = any_of(recipe.pins, [](const RecipePin& other) {
        return other.by == "conda" && starts_with(other.package, "nvcc_linux");
    });
    return other_nvcc || (scenario.project.wanted && !conda_pin(recipe, "cuda-version"));
}

// The newest of NVIDIA's repository; its image has another release in /usr/local/cuda, and a repository on
// the disk has one release only.
bool is_newest_of_apt(const Scenario& scenario, const RecipePin& pin) {
    return pin.by == "apt" && (pin.package == "cuda" || pin.package == "cuda-toolkit") &&
           scenario.project.wanted && !scenario.recipe.image.cuda &&
           none_of(scenario.recipe.toolkit_requests,
                   [](const ToolkitRequest& request) { return request.by == "local installer"; });
}

// conda's label of one release: -c nvidia/label/cuda-12.4.1
bool has_label(const RecipeFacts& recipe, const RecipePin& pin) {
    return any_of(recipe.indexes, [&](const RecipeIndex& index) {
        return index.group == pin.group &&
               (index.url.find("label/cuda-") != npos || index.url.find('$') == 0);  // it may
    });
}

}  // namespace

// nvidia-cuda-nvcc and conda's cuda-nvcc resolve to the newest CUDA release.
void judge_compilers(const Scenario& scenario, const Facts& facts, Findings& findings) {
    const auto releases = facts.cuda_releases();
    if (releases.empty()) return;
    for (const RecipePin& pin : scenario.recipe.pins) {
        const bool wheel = is_newest_wheel(scenario, pin);
        const bool newest = wheel || is_newest_of_conda(scenario, pin) || is_newest_of_apt(scenario, pin);
        if (!newest || !floats_upwards(pin) || has_label(scenario.recipe, pin)) continue;
        const Known<Version> beside = cuda_beside(scenario, wheel);
        if (!beside || beside->major() == releases.back().major()) continue;
        const CudaRelease* last = facts.cuda(releases.back());
        report_floating(taker_of(pin), "CUDA", beside, "the packages beside it",
                        last ? Known<Version>{releases.back(), last->origin} : Known<Version>{},
                        "the newest compiler is installed, and what it writes does not fit libraries of "
                        "another CUDA major",
                        findings);
    }
}

}  // namespace ptxguard
