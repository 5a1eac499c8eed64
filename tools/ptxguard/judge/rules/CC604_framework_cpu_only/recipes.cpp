// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "facts/recipe_tables.hpp"
#include "judge/framework_questions.hpp"
#include "judge/recipe_questions.hpp"
#include "judge/rules/CC604_framework_cpu_only/parts.hpp"
#include "model/file_names.hpp"
#include "model/ranges.hpp"

namespace ptxguard {
namespace {

// Packages whose names say that they use CUDA, and that are no frameworks of ours: cuml-cu12, faiss-gpu,
// llama-cpp-python, pycuda.
bool names_cuda(const RecipePin& pin) {
    if (!pin.is_from_pypi()) return false;
    for (const char* part : {"cuda", "-cu1", "-gpu", "gpu-", "tensorrt", "llama-cpp", "nvidia-", "numba"})
        if (pin.package.find(part) != npos) return true;
    return false;
}

// Whatever else the image's CUDA may be there for. A framework for CPUs beside it is then a choice: torch
// that only converts models, jax beside torch.
bool is_used_otherwise(const Scenario& scenario) {
    const RecipeFacts& recipe = scenario.recipe;
    if (recipe.builds_others || !recipe.compiles.empty() || !recipe.library_users.empty()) return true;
    // vllm, ultralytics: the torch that they bring.
    if (any_of(recipe.installed, [](const Installed& one) { return one.cuda && !one.required_by.empty(); }))
        return true;
    const bool by_framework = any_of(scenario.expectations, [](const Expectation& one) {
        return one.may_use_cuda() && (one.cuda || one.is_of(Vendor::cuda));
    });
    return by_framework || any_of(recipe.pins, names_cuda);
}

// What an installer takes for the framework; null = the image has it.
const RecipePin* pin_of_build(const RecipeFacts& recipe, const Expectation& expectation) {
    const RecipePin* found = nullptr;
    for (const RecipePin& pin : recipe.pins)
        if (expectation.version.origin.is_at(pin.origin) || origin_of_vendor(expectation).is_at(pin.origin) ||
            pin.package == expectation.package ||
            (pin.by == "conda" && pin.package == "pytorch" && expectation.package == "torch"))
            found = &pin;
    return found;
}

// torch==2.1.0+cpu, tensorflow-cpu, conda's build string *cpu*: it is asked for by name.
bool is_meant(const RecipeFacts& recipe, const RecipePin& pin) {
    const bool named = (pin.version && pin.version->local() == "cpu") ||
                       any_of(recipe.pins, [](const RecipePin& one) { return one.package == "cpuonly"; });
    return named || pin.build.find("cpu") != npos || pin.package.find("-cpu") != npos;
}

// One of several branches: another one has a build for CUDA.
bool is_one_of_branches(const RecipeFacts& recipe, const RecipePin& pin) {
    return pin.origin.overridable && any_of(recipe.pins, [&](const RecipePin& other) {
               return &other != &pin && other.package == pin.package && other.group != pin.group;
           });
}

// conda's own selectors of a CUDA release.
const RecipePin* selector_of_conda(const RecipeFacts& recipe) {
    const RecipePin* found = nullptr;
    for (const RecipePin& pin : recipe.pins)
        if (pin.by == "conda" && (pin.package == "pytorch-cuda" || pin.package == "cuda-version" ||
                                  pin.package == "cudatoolkit" || pin.package == "cudnn"))
            found = &pin;
    return found;
}

// requirements-gpu.txt, env_cuda.yml: the name of the file that requests the package.
Evidence cuda_in_file_name(const RecipePin& pin) {
    const std::string name = file_of(pin.origin.path);
    bool for_cuda = false;
    for (const std::string& word : split(lower(name), "-_. ")) {
        if (word == "cpu" || word == "no" || word == "rocm" || word == "nogpu") return {};
        for_cuda = for_cuda || word == "gpu" || word == "cuda" || cuda_of_tag(word).has_value();
    }
    return for_cuda ? Evidence{"file", name, Origin::from_file(pin.origin.path)} : Evidence{};
}

Evidence cuda_of_recipe(const RecipeFacts& recipe, const RecipePin& framework) {
    if (recipe.image.cuda) return evidence_of(recipe.image);
    const RecipePin* selector = framework.by == "conda" ? selector_of_conda(recipe) : nullptr;
    if (selector) return evidence_of(*selector);
    const Evidence container = evidence_of_container(recipe);
    if (!container.value.empty()) return container;
    return framework.is_from_pypi() && framework.version ? cuda_in_file_name(framework) : Evidence{};
}

// xformers, flash-attn: they are of no use beside a torch for CPUs. `other`: what brings that torch; the same
// package in several builds is a choice.
const RecipePin* pin_that_needs_cuda(const RecipeFacts& recipe, const Facts& facts, const RecipePin& other) {
    for (const RecipePin& pin : recipe.pins) {
        const DeviceSources* row = recipe_tables(facts).device_source(pin.package);
        if (row && row->needs_cuda && pin.is_from_pypi() && !pin.origin.overridable &&
            pin.package != other.package)
            return &pin;
    }
    return nullptr;
}

// conda-forge's builds with CUDA require a driver, and the solver has found none.
bool lacks_driver(const Expectation& expectation, const RecipePin& pin) {
    return pin.by == "conda" && origin_of_vendor(expectation).certainty == Certainty::predicted;
}

Fix fix_with_cuda(const Expectation& expectation, const RecipePin& pin) {
    if (expectation.framework == "JAX")
        return by_hand(
            "ask for jax[cuda12] or jax[cuda13]; releases before 0.4.30 need the page "
            "https://storage.googleapis.com/jax-releases/jax_cuda_releases.html");
    if (lacks_driver(expectation, pin))
        return by_hand(
            "name the driver: CONDA_OVERRIDE_CUDA=12.4 for conda, cuda = \"12\" below [system-requirements] "
            "for pixi, or install PyPI's wheels");
    if (pin.by == "conda") return by_hand(SAY("ask for a build with CUDA: {}=*=*cuda*", pin.package));
    if (pin.package != expectation.package)
        return by_hand(SAY("use {} in place of {}", expectation.package, pin.package));
    return by_hand(
        "use an index with builds for CUDA, below https://download.pytorch.org/whl/, or an image without "
        "CUDA");
}

void judge_needed(const RecipePin& pin, const RecipePin& by, const Expectation& expectation,
                  Findings& findings) {
    const std::string named = text_of(pin);
    add(findings, "CC604", Level::warning, expectation.package,
        SAY("{} is built for {}, and {} needs a torch with CUDA", named, built_for(expectation), text_of(by)))
        .of_package(expectation.package)
        .found(pin.by, named, pin.origin)
        .expected(evidence_of(by))
        .because(SAY("{} has code for NVIDIA's GPUs only, and is built for a torch with CUDA", by.package))
        .fix(fix_with_cuda(expectation, pin));
}

// onnxruntime, faiss-cpu: common beside programs that use CUDA, which a recipe need not name.
void judge_cpu_packages(const RecipeFacts& recipe, const Facts& facts, Findings& findings) {
    for (const RecipePin& pin : recipe.pins)
        for (const auto& [package, instead] : recipe_tables(facts).cpu_packages) {
            if (pin.package != package || !pin.is_from_pypi() || pin.origin.overridable) continue;
            const Evidence cuda = cuda_of_recipe(recipe, pin);
            if (cuda.value.empty()) continue;
            const std::string named = text_of(pin);
            add(findings, "CC604", Level::note, pin,
                SAY("{} is built for CPUs only, and {} is for CUDA", named, cuda.value))
                .expected(cuda)
                .because("nothing else in this recipe uses CUDA, and it will not use the GPU")
                .of_package(pin.package)
                .edit(instead);
        }
}

std::string why_for_cpus(const RecipeFacts& recipe, const RecipePin& pin, const Expectation& expectation,
                         bool used_otherwise) {
    if (lacks_driver(expectation, pin))
        return "conda-forge's builds with CUDA require a driver (__cuda), and none is there while the "
               "environment is solved";
    if (is_meant(recipe, pin)) return "its name asks for that; it will not use the GPU";
    return used_otherwise ? "it will not use the GPU; another program of the recipe may"
                          : "nothing else in this recipe uses CUDA, and it will not use the GPU";
}

void report_cpu_framework(const RecipeFacts& recipe, const Expectation& expectation, const RecipePin& pin,
                          const Evidence& cuda, bool used_otherwise, Findings& findings) {
    const std::string named = text_of(pin);
    const RecipeIndex* index = first_where(recipe.indexes, [&](const RecipeIndex& one) {
        return one.group == pin.group && one.origin.is_at(origin_of_vendor(expectation));
    });
    const bool harmless = used_otherwise || is_meant(recipe, pin);
    const Composed finding =
        add(findings, "CC604", harmless ? Level::note : Level::warning, expectation.package,
            SAY("{} is built for {}, and {} is for CUDA", index ? SAY("{} of {}", named, index->url) : named,
                built_for(expectation), cuda.value))
            .of_package(expectation.package)
            .found(pin.by, named, pin.origin)
            .expected(cuda)
            .because(why_for_cpus(recipe, pin, expectation, used_otherwise))
            .fix(fix_with_cuda(expectation, pin));
    if (index) finding.found("index", index->url, index->origin);
}

void judge_cpu_framework(const RecipeFacts& recipe, const Facts& facts, const Expectation& expectation,
                         bool used_otherwise, Findings& findings) {
    // ONNX Runtime for CPUs is a common choice, and what Triton compiles is torch's.
    if (expectation.framework == "ONNXRuntime" || expectation.framework == "Triton") return;
    if (expectation.may_use_cuda() || never_released(expectation)) return;
    const RecipePin* pin = pin_of_build(recipe, expectation);
    if (!pin || pin->open || is_one_of_branches(recipe, *pin)) return;
    const RecipePin* needing =
        expectation.framework == "PyTorch" ? pin_that_needs_cuda(recipe, facts, *pin) : nullptr;
    if (needing) return judge_needed(*pin, *needing, expectation, findings);
    const Evidence cuda = cuda_of_recipe(recipe, *pin);
    if (!cuda.value.empty()) report_cpu_framework(recipe, expectation, *pin, cuda, used_otherwise, findings);
}

}  // namespace

Evidence evidence_of_container(const RecipeFacts& recipe) {
    return recipe.gpu ? Evidence{"container", *recipe.gpu, recipe.gpu.origin} : Evidence{};
}

void judge_recipe_for_cuda(const Scenario& scenario, const Facts& facts, Findings& findings) {
    if (!is_recipe(scenario) || scenario.recipe.vendor) return;
    const bool used_otherwise = is_used_otherwise(scenario);
    for (const Expectation& expectation : scenario.expectations)
        judge_cpu_framework(scenario.recipe, facts, expectation, used_otherwise, findings);
    if (!used_otherwise) judge_cpu_packages(scenario.recipe, facts, findings);
}

void judge_markers(const RecipeFacts& recipe, Findings& findings) {
    for (const MarkerSlip& slip : recipe.marker_slips) {
        add(findings, "CC604", Level::warning, slip.package,
            SAY("on {} the markers of {} select the build for CPUs: '{}' is '{}' there", slip.system,
                slip.package, slip.written, slip.meant))
            .found("marker", slip.written, slip.origin)
            .expected("marker", slip.meant, {})
            .because(SAY("with '{}' they select {} on {}", slip.meant, slip.build, slip.system))
            .of_package(slip.package)
            .by_hand(SAY("name '{}' too", slip.meant));
    }
}

}  // namespace ptxguard
