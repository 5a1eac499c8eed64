// Branches of a script that install a torch each, and what all of them get after it.
// SPDX-License-Identifier: Apache-2.0
#include <optional>
#include <string>

#include "facts/libraries.hpp"
#include "facts/pypi.hpp"
#include "facts/variants.hpp"
#include "judge/recipe_questions.hpp"
#include "judge/rules/CC612_companions_mismatch/parts.hpp"
#include "model/named_cuda.hpp"
#include "model/ranges.hpp"
#include "python/specifier.hpp"

namespace ptxguard {
namespace {

// Whether the package accepts the torch of that pin and build. One that does not replaces it: CC614.
bool stays(const Facts& facts, const RecipePin& torch, const std::string& build, const Installed& newest) {
    const Requirement* required = requirement_on(facts, newest.package, *newest.version, "torch");
    if (!required) return true;
    if (torch.version) return accepts(required->specifier, torch.version->without_local());
    const auto last = newest_with_build(facts, "torch", torch.specifier, build);
    return last && accepts(required->specifier, *last);
}

bool differs(const Companion& companion, const Installed& newest, const Version& cuda) {
    return companion.compares_minor(newest.version) ? !same_release(cuda, *newest.cuda)
                                                    : differs_in_names(cuda, *newest.cuda);
}

// The last torch for CUDA that a branch before that command installs, and whose CUDA the newest release of
// the package on PyPI is not for; null if a later command installs another one in any case.
const RecipePin* torch_of_other_branch(const Facts& facts, const RecipeFacts& recipe, const Installed& newest,
                                       const Companion& companion, Version& cuda) {
    const RecipePin* found = nullptr;
    for (const RecipePin& pin : recipe.pins) {
        if (pin.group >= newest.group || !pin.by_pip()) continue;
        if (pin.package == newest.package) return nullptr;  // it is there, and stays
        if (pin.package != "torch") continue;
        if (!pin.origin.overridable) found = nullptr;
        for (const RecipeIndex* index : indexes_of(recipe, pin)) {
            const auto of_index = pin.origin.overridable ? cuda_of_tag(index->build) : std::nullopt;
            if (!of_index || !differs(companion, newest, *of_index) ||
                !stays(facts, pin, index->build, newest))
                continue;
            found = &pin;
            cuda = *of_index;
        }
    }
    return found;
}

}  // namespace

Installed torch_of_branch(Installed torch, const Installed& beside) {
    if (!beside.asked.overridable && cuda_of_tag(torch.build))
        torch.asked.overridable = torch.cuda.origin.overridable = false;
    return torch;
}

// if CUDA: pip install torch --index-url .../cu126; else: .../cpu; and then, in any case, torchaudio of PyPI.
// The torch that the last branch leaves is judged with what is installed.
void judge_branches(const Scenario& scenario, const Facts& facts, Findings& findings) {
    const RecipeFacts& recipe = scenario.recipe;
    if (recipe.platform || scenario.system != System::linux_) return;
    for (const Installed& one : recipe.installed) {
        const Companion* companion = companion_of(facts, "torch", one.package);
        if (!companion || !one.newest || !one.cuda || !one.build.empty() || !one.required_by.empty() ||
            one.asked.overridable)
            continue;
        Version cuda;
        const RecipePin* torch = torch_of_other_branch(facts, recipe, one, *companion, cuda);
        if (!torch || any_of(recipe.installed, [&](const Installed& last) {
                return last.package == "torch" && last.group == torch->group;
            }))
            continue;
        Origin chosen = torch->origin;
        chosen.overridable = false;
        add(findings, "CC612", Level::warning, one.package,
            SAY("{} {} (the newest) is built for CUDA {}, and the torch of a branch before it for CUDA {}",
                one.package, one.version->text, one.cuda->release(), cuda.release()))
            .of_package(one.package)
            .found("package", one.package, one.asked)
            .found("torch", text_of(*torch), chosen)
            .expected("CUDA", cuda.release(), chosen)
            .because(companion->effect)
            .by_hand(SAY("install {} in the command of each branch, from the same index", one.package));
    }
}

}  // namespace ptxguard
