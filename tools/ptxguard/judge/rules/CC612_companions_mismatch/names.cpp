// SPDX-License-Identifier: Apache-2.0
#include "facts/pypi.hpp"
#include "facts/recipe_tables.hpp"
#include "judge/framework_questions.hpp"
#include "judge/recipe_questions.hpp"
#include "judge/rules/CC612_companions_mismatch/parts.hpp"
#include "model/named_cuda.hpp"
#include "model/ranges.hpp"
#include "model/text.hpp"
#include "python/specifier.hpp"

namespace ptxguard {
namespace {

// bitsandbytes 0.42.0 beside torch 2.6.0: it opens the library for torch's CUDA, which it does not have.
void judge_library_per_cuda(const Scenario& scenario, const Facts& facts, Findings& findings) {
    const RecipeFacts& recipe = scenario.recipe;
    if (!is_recipe(scenario) || recipe.platform) return;
    const CudaHere here = cuda_here(scenario);
    if (!here.cuda || here.cuda->numbers.size() < 2 || !torch_here(scenario)) return;
    for (const Installed& one : recipe.installed) {
        if (!one.version) continue;
        const LibraryPerCuda* row =
            recipe_tables(facts).library_without(one.package, *one.version, *here.cuda);
        if (!row) continue;
        const std::string named = one.package + " " + one.version->text;
        std::string has;
        for (const Version& cuda : row->cudas) has += (has.empty() ? "" : ", ") + cuda.text;
        Finding& finding =
            add(findings, "CC612", Level::warning, one.package,
                named + " has no library for CUDA " + here.cuda->release() + ", the CUDA of " + here.of);
        finding.found = {{"package", named, one.asked}};
        finding.expected = {{"CUDA", here.cuda->release(), here.cuda.origin},
                            {"libraries", has, row->origin}};
        finding.because = "it opens the library for torch's CUDA, and without one it does not use the GPU";
        finding.package = one.package;
        finding.fix = {{FixKind::manual, "pin a release of " + one.package + " with a library for CUDA " +
                                             here.cuda->release()}};
    }
}

// The same package for another CUDA is there too: the one that fits is chosen elsewhere.
bool has_sibling(const RecipeFacts& recipe, const RecipePin& pin, const Version& here) {
    const std::string family = pin.package.substr(0, pin.package.find("-cu"));
    return any_of(recipe.pins, [&](const RecipePin& other) {
        const auto cuda =
            starts_with(other.package, family + "-cu") ? named_cuda(other.package) : std::optional<Version>();
        return cuda && !differs_in_names(*cuda, here);
    });
}

// Its libraries are compared by CC601.
bool is_compared(const Scenario& scenario, const Facts& facts, const RecipePin& pin) {
    return any_of(scenario.expectations, [&](const Expectation& one) {
        return starts_with(pin.package, one.package) && loads_libraries_here(scenario, one) &&
               libraries_for(scenario, facts, one).cuda;
    });
}

// dgl-cu102, cupy-cuda11x, nvidia-dali-cuda110: they load the libraries of the CUDA in their names, if they
// do not bring them.
void judge_names_of_pip(const Scenario& scenario, const Facts& facts, Findings& findings) {
    CudaHere here = cuda_here(scenario);
    // The torch of an image without a tag of torch's, or nothing of torch.
    if (!here.cuda && !newest_of(scenario.recipe, "torch"))
        here = {scenario.recipe.image.cuda, name_of(scenario.recipe.image)};
    if (!is_recipe(scenario) || !here.cuda) return;
    const auto& own = recipe_tables(facts).brings_own_cuda;
    for (const RecipePin& pin : scenario.recipe.pins) {
        const auto cuda = pin.is_from_pypi() ? named_cuda(pin.package) : std::nullopt;
        if (!cuda || !differs_in_names(*cuda, *here.cuda)) continue;
        const bool brings =
            any_of(own, [&](const std::string& start) { return starts_with(pin.package, start); });
        if (brings || is_compared(scenario, facts, pin) || has_sibling(scenario.recipe, pin, *here.cuda))
            continue;
        report_build(evidence_of(pin), text_of(pin) + " is", *cuda, here, findings);
    }
}

// The major of all releases that the pin accepts; nothing if there are several, or none.
std::optional<Version> major_of(const RecipePin& pin, const Facts& facts) {
    const PypiPackage* table = pypi_package(facts, pin.package);
    if (pin.specifier.empty() || !table) return std::nullopt;
    std::optional<Version> major;
    for (const PypiRelease& release : table->releases) {
        if (!accepts(pin.specifier, release.version)) continue;
        const auto version = parse_version(std::to_string(parse_version(release.version)->major()));
        if (major && *major != *version) return std::nullopt;
        major = version;
    }
    return major;
}

// cuda-python>=13 beside a torch for CUDA 12
void judge_versions_of_cuda(const Scenario& scenario, const Facts& facts, Findings& findings) {
    const CudaHere here = cuda_here(scenario);
    if (!here.cuda) return;
    for (const RecipePin& pin : scenario.recipe.pins) {
        const auto& names = recipe_tables(facts).cuda_in_version;
        if (!pin.is_from_pypi() || !contains(names, pin.package)) continue;
        const auto major = major_of(pin, facts);
        if (major && major->major() != here.cuda->major())
            report_build(evidence_of(pin), text_of(pin) + " is", *major, here, findings);
    }
}

// conda's dgl-cuda11.3
void judge_names_of_conda(const Scenario& scenario, const Facts& facts, Findings& findings) {
    const CudaHere here = cuda_here(scenario);
    if (!here.cuda || here.cuda->numbers.size() < 2) return;
    for (const RecipePin& pin : scenario.recipe.pins)
        for (const std::string& start : recipe_tables(facts).conda_cuda_in_name) {
            const auto cuda = pin.by == "conda" && starts_with(pin.package, start)
                                  ? parse_version(pin.package.substr(start.size()))
                                  : std::nullopt;
            if (!cuda || cuda->numbers.size() < 2 || same_release(*cuda, *here.cuda)) continue;
            Finding& finding = add(findings, "CC612", Level::warning, text_of(pin),
                                   text_of(pin) + " is built for CUDA " + cuda->text + ", and " + here.of +
                                       " has CUDA " + here.cuda->release());
            finding.found = {evidence_of(pin)};
            finding.expected = {{"CUDA", here.cuda->release(), here.cuda.origin}};
            finding.because =
                "the package requires the libraries of the CUDA in its name, and conda puts one "
                "release of them into an environment";
            finding.fix = {{FixKind::edit, start + here.cuda->release()}};
        }
}

// py310_torch_1.13.0_cu117, py39_cu116_pyt1130, py310_cu11.8.0_pyt2.0.1
struct BuildOfConda {
    std::optional<Version> torch, cuda;
};
BuildOfConda build_of_conda(const std::string& build) {
    BuildOfConda found;
    for (const std::string& word : split(build, "_")) {
        const std::size_t digits = word.find_first_of("0123456789");
        if (digits == std::string::npos) continue;
        const std::string start = word.substr(0, digits), number = word.substr(digits);
        const bool dotted = number.find('.') != std::string::npos;
        if (start.empty() && dotted && build.find("torch_" + word) != std::string::npos)
            found.torch = parse_version(number);
        else if (start == "pyt" && dotted)
            found.torch = parse_version(number);
        else if (start == "pyt" && number.size() >= 3)
            found.torch = parse_version(number.substr(0, 1) + "." + number.substr(1, number.size() - 2));
        else if (start == "cu" || start == "cuda")
            found.cuda = dotted ? parse_version(number) : cuda_of_number(number);
    }
    return found;
}

void judge_build_strings(const Scenario& scenario, Findings& findings) {
    const Expectation* torch = torch_here(scenario);
    if (!torch || !torch->version || never_released(*torch)) return;
    for (const RecipePin& pin : scenario.recipe.pins) {
        if (pin.by != "conda" || pin.package == "pytorch" || pin.build.empty()) continue;
        const BuildOfConda built = build_of_conda(pin.build);
        if (!built.torch) continue;
        const bool other_torch = !same_release(*built.torch, *torch->version);
        const bool other_cuda = built.cuda && torch->cuda && !same_release(*built.cuda, *torch->cuda);
        if (!other_torch && !other_cuda) continue;
        Finding& finding = add(
            findings, "CC612", Level::error, text_of(pin),
            text_of(pin) + "=" + pin.build + " is built for " +
                (other_torch ? "PyTorch " + built.torch->text : "CUDA " + built.cuda->text) + ", and " +
                name_of(*torch) + (other_torch ? " is installed" : " has CUDA " + torch->cuda->release()));
        finding.found = {evidence_of(pin),
                         {torch->package, name_of(*torch), named_place(torch->version.origin)}};
        finding.expected = {{"build", "one for torch " + torch->version->release(), {}}};
        finding.because = "such a build requires that release of PyTorch, and conda finds no set of packages";
        finding.fix = {{FixKind::manual, "name the version of " + pin.package + " without a build string"}};
    }
}

// conda's jaxlib=0.4.14=cuda112py310* beside cuda-version=12.0: a build is for one major, before 11 for one
// release.
void judge_selected_cuda(const RecipeFacts& recipe, Findings& findings) {
    const RecipePin* selector = nullptr;
    for (const RecipePin& pin : recipe.pins)
        if (pin.by == "conda" && pin.version && pin.version->numbers.size() > 1 &&
            (pin.package == "cuda-version" || pin.package == "cudatoolkit" || pin.package == "pytorch-cuda"))
            selector = &pin;
    if (!selector) return;
    for (const RecipePin& pin : recipe.pins) {
        const auto cuda = pin.by == "conda" && &pin != selector && pin.group == selector->group
                              ? pin.cuda_of_build()
                              : std::nullopt;
        if (!cuda || !differs_in_names(*cuda, *selector->version)) continue;
        Finding& finding = add(findings, "CC612", Level::error, text_of(pin),
                               text_of(pin) + "=" + pin.build + " is built for CUDA " + cuda->release() +
                                   ", and " + text_of(*selector) + " is pinned beside it");
        finding.found = {evidence_of(pin), evidence_of(*selector)};
        finding.expected = {{"CUDA", cuda->release(), pin.origin}};
        finding.because = "the build requires the libraries of its CUDA, and conda finds no set of packages";
        finding.package = pin.package;
        finding.fix = {{FixKind::edit, selector->package + "=" + cuda->release()}};
    }
}

// Packages of conda with the numbers of CUDA's releases, each of which requires the cuda-version of its own.
bool has_number_of_cuda(const std::string& package) {
    for (const char* other :
         {"cuda-python", "cuda-bindings", "cuda-core", "cuda-pathfinder", "cuda-cccl", "cuda-nsight"})
        if (starts_with(package, other)) return false;
    return starts_with(package, "cuda-");
}

// cuda-version=12.4 beside cuda-nvcc=12.6. Before 12 the components have no such requirement.
void judge_components_of_conda(const RecipeFacts& recipe, Findings& findings) {
    constexpr int k_first_major = 12;
    for (const char* const name : {"cuda-version", "cuda-toolkit"}) {
        const RecipePin* whole = conda_pin(recipe, name);
        if (!whole || !whole->version || whole->version->numbers.size() < 2 || whole->origin.overridable)
            continue;
        for (const RecipePin& pin : recipe.pins) {
            if (pin.by != "conda" || pin.group != whole->group || !has_number_of_cuda(pin.package) ||
                pin.origin.overridable || !pin.version || pin.version->numbers.size() < 2 ||
                pin.version->major() < k_first_major || whole->version->major() < k_first_major ||
                same_release(*pin.version, *whole->version))
                continue;
            Finding& finding = add(findings, "CC612", Level::warning, text_of(pin),
                                   text_of(pin) + " is of CUDA " + pin.version->release() + ", and " +
                                       text_of(*whole) + " is pinned beside it");
            finding.found = {evidence_of(pin), evidence_of(*whole)};
            finding.expected = {{pin.package, whole->version->release(), whole->origin}};
            finding.because =
                "each component requires the cuda-version of its own release, and conda finds no set "
                "of packages";
            finding.package = pin.package;
            finding.fix = {{FixKind::edit, pin.package + "=" + whole->version->release()}};
            return;
        }
    }
}

// cudf-cu12 beside cuml-cu11: both bring RMM, for one CUDA each.
void judge_suites(const RecipeFacts& recipe, const Facts& facts, Findings& findings) {
    for (const CudaSuite& suite : recipe_tables(facts).cuda_suites) {
        const RecipePin* first = nullptr;
        std::string cuda_of_first;
        for (const RecipePin& pin : recipe.pins) {
            const std::size_t at = pin.package.rfind("-cu");
            if (at == std::string::npos || !pin.is_from_pypi() || pin.origin.overridable) continue;
            const std::string name = pin.package.substr(0, at), cuda = pin.package.substr(at + 3);
            if (!contains(suite.packages, name)) continue;
            if (!first || first->group != pin.group) {
                first = &pin;
                cuda_of_first = cuda;
            }
            if (cuda == cuda_of_first) continue;
            Finding& finding = add(findings, "CC612", Level::warning, text_of(pin),
                                   text_of(pin) + " is for CUDA " + cuda + ", and " + text_of(*first) +
                                       " beside it for CUDA " + cuda_of_first);
            finding.found = {evidence_of(pin), evidence_of(*first)};
            finding.expected = {{suite.name, "all for one CUDA", suite.origin}};
            finding.because = "both require the libraries of " + suite.name +
                              " for their own CUDA, which have the same files";
            finding.package = pin.package;
            finding.fix = {{FixKind::edit, name + "-cu" + cuda_of_first + pin.specifier}};
            return;
        }
    }
}

}  // namespace

void judge_cuda_in_names(const Scenario& scenario, const Facts& facts, Findings& findings) {
    if (!is_recipe(scenario)) return;
    judge_library_per_cuda(scenario, facts, findings);
    judge_names_of_pip(scenario, facts, findings);
    judge_versions_of_cuda(scenario, facts, findings);
    judge_names_of_conda(scenario, facts, findings);
    judge_build_strings(scenario, findings);
    judge_selected_cuda(scenario.recipe, findings);
    judge_components_of_conda(scenario.recipe, findings);
    judge_suites(scenario.recipe, facts, findings);
}

}  // namespace ptxguard
