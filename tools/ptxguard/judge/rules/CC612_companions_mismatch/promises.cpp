// Names that people choose say for which CUDA something is: requirements-cu121.txt, cuml_dev_cuda11.4.yml,
// Dockerfile.cuda12.1, the extra cuda111. What is installed there should be for the same.
// SPDX-License-Identifier: Apache-2.0
#include <map>

#include "facts/variants.hpp"
#include "judge/framework_questions.hpp"
#include "judge/recipe_questions.hpp"
#include "judge/rules/CC612_companions_mismatch/parts.hpp"
#include "model/file_names.hpp"
#include "model/named_cuda.hpp"
#include "model/text.hpp"

namespace ptxguard {
namespace {

struct Promise {
    std::string name;
    Version cuda;
};

// Something that is for one CUDA.
struct CudaUse {
    Evidence evidence;
    Version cuda;
    bool by_minor = true;              // another minor release contradicts the name
    const RecipePin* build = nullptr;  // of a package that has builds for some releases only
};

bool is_named_by_people(const RecipeFacts& recipe) {
    for (const char* kind : {"Dockerfile", "requirements file", "pyproject.toml", "setup.py",
                             "conda environment", "pixi manifest"})
        if (recipe.kind == kind) return true;
    return false;
}

// Of the recipe's own file also what its part is called: an extra, an environment, a stage.
std::optional<Promise> promise_of(const RecipeFacts& recipe, const std::string& path) {
    const bool own = recipe.place.file == path;
    if (path.empty() || (own && !is_named_by_people(recipe))) return std::nullopt;
    const std::string& part =
        recipe.place.environment.empty() ? recipe.place.stage : recipe.place.environment;
    for (const std::string& name :
         {own ? part.substr(part.rfind(' ') + 1) : "", file_of(path), file_of(folder_of(path))})
        if (const auto cuda = named_cuda(name)) return Promise{name, *cuda};
    return std::nullopt;
}

bool selects(const RecipePin& pin) {
    for (const char* one : {"cudatoolkit", "cuda-version", "pytorch-cuda", "cuda-toolkit", "cudatoolkit-dev"})
        if (pin.package == one) return pin.by == "conda";
    return false;
}

const RecipePin* torch_beside(const RecipeFacts& recipe, int group) {
    for (const RecipePin& pin : recipe.pins)
        if (pin.group == group && pin.version && (pin.package == "pytorch" || pin.package == "torch"))
            return &pin;
    return nullptr;
}

std::optional<CudaUse> cuda_use_of(const RecipeFacts& recipe, const RecipePin& pin) {
    const auto content = [&](const std::optional<Version>& cuda, bool by_minor, const RecipePin* build) {
        return cuda ? std::optional(CudaUse{evidence_of(pin), *cuda, by_minor, build}) : std::nullopt;
    };
    if (pin.by == "lock" || pin.by == "apt") return std::nullopt;
    if (pin.version && !pin.version->local().empty())
        return content(cuda_of_tag(pin.version->local()), true, &pin);
    if (pin.is_from_pypi()) return content(named_cuda(pin.package), true, nullptr);
    if (selects(pin)) return content(pin.version.value, true, torch_beside(recipe, pin.group));
    return content(pin.cuda_of_build(), false, nullptr);
}

std::vector<CudaUse> cuda_uses_of(const RecipeFacts& recipe) {
    std::vector<CudaUse> all;
    for (const RecipePin& pin : recipe.pins)
        if (auto content = cuda_use_of(recipe, pin)) all.push_back(std::move(*content));
    for (const RecipeIndex& index : recipe.indexes)
        if (const auto cuda = cuda_of_tag(index.build)) {
            const RecipePin* torch = torch_beside(recipe, index.group);
            all.push_back({{"index", index.url, index.origin}, *cuda, torch != nullptr, torch});
        }
    if (recipe.image.cuda && recipe.kind == "Dockerfile")
        all.push_back({evidence_of(recipe.image), *recipe.image.cuda, true, nullptr});
    return all;
}

// Where there is no build for the minor release in the name, people take the nearest.
bool contradicts(const CudaUse& content, const Promise& promise, const Facts& facts) {
    if (is_same_cuda(content.cuda, promise.cuda)) return false;
    if (content.cuda.major() != promise.cuda.major()) return true;
    if (!content.by_minor || !facts.cuda(promise.cuda)) return false;
    if (!content.build) return true;
    const std::string package = content.build->package == "pytorch" ? "torch" : content.build->package;
    return published_build(facts, package, *content.build->version, tag_of_cuda(promise.cuda)) ==
           Published::yes;
}

void say_promise(const Promise& promise, const CudaUse& content, Findings& findings) {
    const std::string &what = content.evidence.value, &wanted = promise.cuda.text;
    add(findings, "CC612", Level::warning, what,
        SAY("{} is for CUDA {}, and '{}' says CUDA {}", what, content.cuda.text, promise.name, wanted))
        .found(content.evidence)
        .expected("CUDA", wanted, Origin::from_file(content.evidence.origin.path))
        .because("who takes it by its name gets another CUDA than the name says")
        .by_hand(SAY("install what is for CUDA {}, or rename it", wanted));
}

}  // namespace

void judge_promises(const Scenario& scenario, const Facts& facts, Findings& findings) {
    if (!is_recipe(scenario)) return;
    struct Named {
        Promise promise;
        const CudaUse* wrong = nullptr;
        bool kept = false;
    };
    std::map<std::string, Named> all;
    const std::vector<CudaUse> contents = cuda_uses_of(scenario.recipe);
    for (const CudaUse& content : contents) {
        const auto promise = promise_of(scenario.recipe, content.evidence.origin.path);
        if (!promise) continue;
        Named& named = all.try_emplace(promise->name, Named{*promise}).first->second;
        const bool exact = content.cuda.numbers.size() > 1 || promise->cuda.numbers.size() == 1;
        named.kept = named.kept || (exact && is_same_cuda(content.cuda, promise->cuda));
        if (!named.wrong && !content.evidence.origin.overridable && contradicts(content, *promise, facts))
            named.wrong = &content;
    }
    for (const auto& [name, named] : all)
        if (named.wrong && !named.kept) say_promise(named.promise, *named.wrong, findings);
}

}  // namespace ptxguard
