// A package without a version resolves to the newest release, while the CUDA release beside it is fixed.
// SPDX-License-Identifier: Apache-2.0
#include "facts/framework_traits.hpp"
#include "facts/pypi.hpp"
#include "judge/framework_questions.hpp"
#include "judge/recipe_questions.hpp"
#include "judge/rules/CC611_framework_unpinned/parts.hpp"
#include "model/file_names.hpp"
#include "model/named_cuda.hpp"
#include "model/ranges.hpp"
#include "model/text.hpp"

namespace ptxguard {

bool floats_upwards(const RecipePin& pin) {
    if (pin.version || !pin.unreadable.empty()) return false;
    if (pin.specifier.find_first_of("<=~^*") == npos) return true;
    return pin.specifier.find('>') != npos && pin.specifier.find_first_of("<,") == npos;
}

Taker taker_of(const RecipePin& pin) {
    return {pin.package, SAY("{} is not pinned", pin.package), evidence_of(pin)};
}

void report_floating(const Taker& taker, const std::string& what, const Known<Version>& fixed,
                     const std::string& fixed_by, const Known<Version>& newest, const std::string& because,
                     Findings& findings, Level level) {
    const auto number = [](const Version& one) { return one.numbers.size() > 1 ? one.release() : one.text; };
    const std::string wanted = SAY("{} {}", what, number(*fixed));
    Composed finding = add(findings, "CC611", level, taker.package,
                           SAY("{}, and {} is fixed by {}", taker.words, wanted, fixed_by))
                           .found(taker.evidence)
                           .expected(what, number(*fixed), fixed.origin)
                           .because(because)
                           .by_hand(SAY("pin a release of {} for {}", taker.package, wanted));
    if (newest) finding.found(SAY("{} of the newest release", what), number(*newest), newest.origin);
}

namespace {

Taker taker_of(const Installed& taken) {
    return {taken.package,
            SAY("{} takes the newest {}, {}", taken.required_by, taken.package, taken.version->text),
            {"package", taken.required_by, taken.asked}};
}

// What an earlier command or the image has brought in a release that is known: pip keeps it.
bool is_kept(const RecipeFacts& recipe, const RecipePin& pin) {
    return any_of(recipe.installed, [&](const Installed& one) {
        return one.package == pin.package && !one.newest && (one.of_image || one.group < pin.group);
    });
}

std::vector<const RecipePin*> floating_torches(const RecipeFacts& recipe) {
    std::vector<const RecipePin*> found;
    for (const RecipePin& pin : recipe.pins)
        if (pin.package == "torch" && pin.by_pip() && floats_upwards(pin)) found.push_back(&pin);
    return found;
}

// The CUDA of the release that an unpinned package gets.
Known<Version> newest_cuda(const RecipeFacts& recipe, const std::string& package) {
    const Installed* taken = newest_of(recipe, package);
    return taken ? taken->cuda : Known<Version>{};
}

// Whether an index, channel or selector beside it determines the build's CUDA.
bool build_is_chosen(const Scenario& scenario, const RecipePin& pin) {
    for (const RecipeIndex* index : indexes_of(scenario.recipe, pin))
        if (!index->build.empty() && (index->use == IndexUse::only || pin.by == "uv")) return true;
    if (pin.by != "conda") return false;
    if (pin.build.find("cuda") != npos || pin.build.find("cu1") != npos) return true;
    return conda_pin(scenario.recipe, "pytorch-cuda") || conda_pin(scenario.recipe, "cudatoolkit") ||
           conda_pin(scenario.recipe, "cuda-version") || conda_pin(scenario.recipe, "cpuonly");
}

std::string name_of_fixed(const Scenario& scenario, const Known<Version>& fixed) {
    return fixed.origin.line == scenario.recipe.image.origin.line && scenario.recipe.image.cuda
               ? name_of(scenario.recipe.image)
               : "its toolkit";
}

// Something that may be an extension of torch: a program that CMake or nvcc builds need not be one.
bool compiles(const Scenario& scenario) {
    const auto& steps = scenario.recipe.compiles;
    const bool extension = steps.empty() || any_of(steps, [](const CompileStep& one) {
                               return !one.package.empty() || one.imports_torch || one.by_torch;
                           });
    return scenario.recipe.image.flavour == ImageFlavour::devel ||
           (scenario.project.wanted && (extension || !scenario.recipe.arch_lists.empty()));
}

// The newest torch that a command before the last one installs, if something is compiled with it before a
// later command replaces it.
const Installed* compiled_with(const RecipeFacts& recipe, const RecipePin& pin) {
    for (const Replaced& one : recipe.replaced) {
        const Origin &from = one.before.asked, &to = one.after.asked;
        if (one.before.package != pin.package || !one.before.newest || one.before.group != pin.group)
            continue;
        for (const CompileStep& step : recipe.compiles)
            if (step.origin.path == from.path && to.path == from.path && step.origin.line > from.line &&
                step.origin.line < to.line)
                return &one.before;
    }
    return nullptr;
}

// The image contains one, or a package of the same command requires one.
bool has_pinned_torch(const Scenario& scenario) {
    return any_of(scenario.expectations,
                  [](const Expectation& one) { return one.framework == "PyTorch" && one.version; });
}

bool has_constraint(const RecipeFacts& recipe, const RecipePin& pin) {
    return any_of(recipe.constraints, [&](const RecipePin& one) { return one.package == pin.package; });
}

// A setup.py that builds an extension with torch's builder, which refuses an nvcc of another CUDA major.
bool builds_extension(const RecipeFacts& recipe) {
    return any_of(recipe.compiles, [](const CompileStep& step) {
        return step.package.empty() && step.imports_torch && !step.isolated;
    });
}

std::string because_of_extensions(const Version& cuda) {
    return SAY(
        "the newest release is installed, and extensions that nvcc {} compiles do not work with a torch of "
        "another CUDA major",
        cuda.release());
}

void judge_torch_of_pip(const Scenario& scenario, const Known<Version>& fixed, Findings& findings) {
    const RecipeFacts& recipe = scenario.recipe;
    for (const RecipePin* pin : floating_torches(recipe)) {
        const Installed* used = compiled_with(recipe, *pin);
        if ((!used && has_pinned_torch(scenario)) || !compiles(scenario) || build_is_chosen(scenario, *pin))
            continue;
        const Known<Version> newest = used ? used->cuda : newest_cuda(recipe, "torch");
        if (newest && newest->major() != fixed->major())
            report_floating(taker_of(*pin), "CUDA", fixed, name_of_fixed(scenario, fixed), newest,
                            because_of_extensions(*fixed), findings,
                            builds_extension(recipe) ? Level::error : Level::warning);
    }
}

void judge_torch_of_conda(const Scenario& scenario, const Facts& facts, const Known<Version>& fixed,
                          Findings& findings) {
    const Known<Version> newest = newest_default_cuda(facts, "torch");
    if (!newest || newest->major() == fixed->major() || has_pinned_torch(scenario) ||
        scenario.recipe.image.flavour != ImageFlavour::devel)
        return;
    for (const RecipePin& pin : scenario.recipe.pins)
        if (pin.by == "conda" && (pin.package == "pytorch" || pin.package == "pytorch-nightly") &&
            floats_upwards(pin) && !build_is_chosen(scenario, pin))
            report_floating(taker_of(pin), "CUDA", fixed, name_of_fixed(scenario, fixed), newest,
                            because_of_extensions(*fixed), findings);
}

// Whether a command after that one compiles with the torch that it has installed.
bool compiles_with(const RecipeFacts& recipe, const Installed& torch) {
    return any_of(recipe.compiles, [&](const CompileStep& step) {
        return (step.imports_torch || step.by_torch) && !step.isolated && !step.origin.overridable &&
               step.group > torch.group;
    });
}

// `pip install accelerate` brings the newest torch, and flash-attn is compiled after it.
void judge_brought_torch(const Scenario& scenario, const Known<Version>& fixed, Findings& findings) {
    const Installed* torch = newest_of(scenario.recipe, "torch");
    if (!torch || torch->required_by.empty() || !torch->cuda || has_pinned_torch(scenario) ||
        torch->cuda->major() == fixed->major() || !compiles_with(scenario.recipe, *torch))
        return;
    report_floating(taker_of(*torch), "CUDA", fixed, name_of_fixed(scenario, fixed), torch->cuda,
                    because_of_extensions(*fixed), findings);
}

// A requirements file for one CUDA, and a torch without a version and without an index: PyPI's build is for
// the newest.
void judge_files(const Scenario& scenario, Findings& findings) {
    const RecipeFacts& recipe = scenario.recipe;
    const Known<Version> newest = newest_cuda(recipe, "torch");
    if (!newest || has_pinned_torch(scenario)) return;
    for (const RecipePin* pin : floating_torches(recipe)) {
        const auto cuda = named_cuda(file_of(pin->origin.path));
        if (!cuda || pin->open || !indexes_of(recipe, *pin).empty() || cuda->major() == newest->major())
            continue;
        const std::string wanted = cuda->numbers.size() > 1 ? cuda->release() : cuda->text;
        add(findings, "CC611", Level::warning, pin->package,
            SAY("{} is not pinned, and {} is for CUDA {}", text_of(*pin), file_of(pin->origin.path), wanted))
            .of_package(pin->package)
            .found(evidence_of(*pin))
            .found("CUDA of the newest release", newest->release(), newest.origin)
            .expected("CUDA", wanted, Origin::from_file(pin->origin.path))
            .because("without an index pip takes PyPI's newest build, whose CUDA older drivers refuse")
            .by_hand(SAY("pin a release of torch, and name the index of its build for CUDA {}", wanted));
        return;
    }
}

// Pages with wheels for one release of torch, and a torch without a version beside them.
void judge_wheels_beside(const Scenario& scenario, const Facts& facts, Findings& findings) {
    const RecipeFacts& recipe = scenario.recipe;
    const auto releases = facts.framework_releases("torch");
    if (releases.empty() || has_pinned_torch(scenario)) return;
    const Installed* newest = newest_of(recipe, "torch");
    const Version& taken = newest ? *newest->version : releases.back();
    for (const RecipePin* pin : floating_torches(recipe)) {
        if (pin->open || is_kept(recipe, *pin) || has_constraint(recipe, *pin)) continue;
        const RecipeIndex* index = first_where(recipe.indexes, [&](const RecipeIndex& one) {
            const auto page = one.use == IndexUse::links ? torch_of_page(one.url) : std::nullopt;
            // What other commands take from a page of another branch is not known.
            const bool later = newest && !one.origin.overridable && one.group > pin->group;
            return page && (one.group == pin->group || later) && !same_release(*page, taken);
        });
        if (!index) continue;
        const std::string release = torch_of_page(index->url)->text;
        add(findings, "CC611", Level::warning, pin->package,
            SAY("{} is not pinned, and the wheels at {} are built for PyTorch {}", text_of(*pin), index->url,
                release))
            .of_package(pin->package)
            .found(evidence_of(*pin))
            .found("page", index->url, index->origin)
            .expected("torch", release, index->origin)
            .because(
                "pip takes the newest torch, and extensions of PyTorch work with the minor release for which "
                "they are built")
            .edit(SAY("torch=={}", release));
        return;
    }
}

// A TensorFlow without a release beside a torch with CUDA: it is there for TensorBoard or a data set.
Level level_of_user(const Scenario& scenario, const Expectation& framework) {
    const bool beside =
        framework.framework == "TensorFlow" && any_of(scenario.expectations, [](const Expectation& one) {
            return one.framework == "PyTorch" && one.may_use_cuda();
        });
    return beside ? Level::note : Level::warning;
}

bool has_cuda(const Scenario& scenario, const FrameworkRelease* release) {
    return release && !(scenario.system == System::windows && release->cpu_only_windows);
}

// The runners of CI systems have no GPU.
bool may_have_gpu(const RecipeFacts& recipe) { return recipe.kind != "workflow" || recipe.gpu; }

// Its newest release does not find there what it loads.
void judge_user(const Scenario& scenario, const Taker& taker, const Expectation& one,
                const FrameworkRelease* last, const LibrariesHere& here, Findings& findings) {
    if (!has_cuda(scenario, last) || !here.cuda) return;
    const auto differs = [](const std::optional<Version>& newest, const Known<Version>& fixed) {
        return newest && fixed && newest->major() != fixed->major();
    };
    const bool newer_cudnn = last->cudnn && one.framework == "JAX" && last->cudnn->major() == 9;
    const bool other_cuda = differs(last->cuda, here.cuda), other_cudnn = differs(last->cudnn, here.cudnn);
    if (!other_cuda && !other_cudnn && !newer_cudnn) return;
    const bool by_cudnn = other_cudnn && !other_cuda;
    const auto& of_newest = by_cudnn ? last->cudnn : last->cuda;
    report_floating(
        taker, by_cudnn ? "cuDNN" : "CUDA", by_cudnn ? here.cudnn : here.cuda, here.of,
        of_newest ? Known<Version>{*of_newest, last->origin} : Known<Version>{},
        SAY("the newest release is installed, and it loads CUDA's libraries and cuDNN from {}", here.of),
        findings, level_of_user(scenario, one));
}

// It names the package of that framework, in any release.
bool takes_any(const RecipePin& pin, const std::string& package) {
    const bool of_it = pin.package == package || pin.package == SAY("{}-gpu", package) ||
                       (package == "tensorflow" && pin.package == "tf-nightly");
    return of_it && !pin.version && pin.unreadable.empty();
}

// Frameworks that load the libraries of the image.
void judge_users(const Scenario& scenario, const Facts& facts, Findings& findings) {
    for (const Expectation& one : scenario.expectations) {
        if (!loads_libraries_here(scenario, one) || one.version) continue;
        const LibrariesHere here = libraries_for(scenario, facts, one);
        const std::string table = one.framework == "JAX" ? "jax-cuda12-plugin" : one.package;
        const auto releases = facts.framework_releases(table);
        for (const RecipePin& pin : scenario.recipe.pins) {
            if (!takes_any(pin, one.package)) continue;
            if (const Installed* taken = newest_of(scenario.recipe, pin.package))
                judge_user(scenario, taker_of(pin), one, facts.framework_release(table, *taken->version),
                           here, findings);
            else if (floats_upwards(pin) && !releases.empty() &&
                     !(pin.is_from_pypi() && pypi_package(facts, pin.package)))
                judge_user(scenario, taker_of(pin), one, facts.framework_release(table, releases.back()),
                           here, findings);
        }
        const Installed* brought = newest_of(scenario.recipe, one.package);
        if (brought && !brought->required_by.empty())
            judge_user(scenario, taker_of(*brought), one, facts.framework_release(table, *brought->version),
                       here, findings);
    }
}

// A package that loads the cuDNN of torch's wheels, and a torch whose newest release installs another major.
void judge_cudnn(const Scenario& scenario, const Facts& facts, Findings& findings) {
    const RecipeFacts& recipe = scenario.recipe;
    const auto releases = facts.framework_releases("torch");
    const FrameworkRelease* last =
        releases.empty() ? nullptr : facts.framework_release("torch", releases.back());
    if (!last || !last->cudnn || recipe.libraries_cudnn || recipe.libraries_complete) return;
    for (const Expectation& one : scenario.expectations) {
        // TensorFlow and JAX take their own packages or the system's.
        if (!one.cudnn || one.cudnn->major() == last->cudnn->major() ||
            !loads_libraries_here(scenario, one) || !framework_traits(facts, one.framework).holds.empty())
            continue;
        for (const RecipePin* pin : floating_torches(recipe))
            if (!is_kept(recipe, *pin))
                add(findings, "CC611", Level::warning, pin->package,
                    SAY("torch is not pinned, and {} needs cuDNN {}", name_of(one), one.cudnn->text))
                    .found(evidence_of(*pin))
                    .found("cuDNN of the newest torch", last->cudnn->text, last->origin)
                    .expected("cuDNN", one.cudnn->text, one.cudnn.origin)
                    .because(SAY("{} opens the cuDNN that torch's wheels bring, by its major", one.package))
                    .by_hand(SAY("pin a release of torch with cuDNN {}", one.cudnn->text));
    }
}

}  // namespace

PTXGUARD_RULE(CC611) {
    if (!is_recipe(scenario)) return;
    if (const Known<Version> fixed = fixed_cuda(scenario)) {
        judge_torch_of_pip(scenario, fixed, findings);
        judge_torch_of_conda(scenario, facts, fixed, findings);
        if (findings.empty()) judge_brought_torch(scenario, fixed, findings);
    }
    if (findings.empty()) judge_files(scenario, findings);
    if (findings.empty()) judge_wheels_beside(scenario, facts, findings);
    if (may_have_gpu(scenario.recipe)) judge_users(scenario, facts, findings);
    judge_cudnn(scenario, facts, findings);
    judge_compilers(scenario, facts, findings);
}

}  // namespace ptxguard
