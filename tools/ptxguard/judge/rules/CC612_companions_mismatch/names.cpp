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
        const std::string named = SAY("{} {}", one.package, one.version->text);
        std::string has;
        for (const Version& cuda : row->cudas) has += (has.empty() ? "" : ", ") + cuda.text;
        add(findings, "CC612", Level::warning, one.package,
            SAY("{} has no library for CUDA {}, the CUDA of {}", named, here.cuda->release(), here.of))
            .found("package", named, one.asked)
            .expected("CUDA", here.cuda->release(), here.cuda.origin)
            .expected("libraries", has, row->origin)
            .because("it opens the library for torch's CUDA, and without one it does not use the GPU")
            .of_package(one.package)
            .by_hand(
                SAY("pin a release of {} with a library for CUDA {}", one.package, here.cuda->release()));
    }
}

// The same package for another CUDA is there too: the one that fits is chosen elsewhere.
bool has_sibling(const RecipeFacts& recipe, const RecipePin& pin, const Version& here) {
    const std::string family = pin.package.substr(0, pin.package.find("-cu"));
    return any_of(recipe.pins, [&](const RecipePin& other) {
        const auto cuda = starts_with(other.package, SAY("{}-cu", family)) ? named_cuda(other.package)
                                                                           : std::optional<Version>();
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
        report_build(evidence_of(pin), SAY("{} is", text_of(pin)), *cuda, here, findings);
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
            report_build(evidence_of(pin), SAY("{} is", text_of(pin)), *major, here, findings);
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
            add(findings, "CC612", Level::warning, pin,
                SAY("{} is built for CUDA {}, and {} has CUDA {}", text_of(pin), cuda->text, here.of,
                    here.cuda->release()))
                .expected("CUDA", here.cuda->release(), here.cuda.origin)
                .because(
                    "the package requires the libraries of the CUDA in its name, and conda puts one release "
                    "of them into an environment")
                .edit(start + here.cuda->release());
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
        if (digits == npos) continue;
        const std::string start = word.substr(0, digits), number = word.substr(digits);
        const bool dotted = number.find('.') != npos;
        if (start.empty() && dotted && build.find(SAY("torch_{}", word)) != npos)
            found.torch = parse_version(number);
        else if (start == "pyt" && dotted)
            found.torch = parse_version(number);
        else if (start == "pyt" && number.size() >= 3)
            found.torch =
                parse_version(SAY("{}.{}", number.substr(0, 1), number.substr(1, number.size() - 2)));
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
        const std::string named = SAY("{}={}", text_of(pin), pin.build);
        add(findings, "CC612", Level::error, pin,
            other_torch ? SAY("{} is built for PyTorch {}, and {} is installed", named, built.torch->text,
                              name_of(*torch))
                        : SAY("{} is built for CUDA {}, and {} has CUDA {}", named, built.cuda->text,
                              name_of(*torch), torch->cuda->release()))
            .found(named_evidence(*torch))
            .expected("build", SAY("one for torch {}", torch->version->release()), {})
            .because("such a build requires that release of PyTorch, and conda finds no set of packages")
            .by_hand(SAY("name the version of {} without a build string", pin.package));
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
        add(findings, "CC612", Level::error, pin,
            SAY("{}={} is built for CUDA {}, and {} is pinned beside it", text_of(pin), pin.build,
                cuda->release(), text_of(*selector)))
            .found(evidence_of(*selector))
            .expected("CUDA", cuda->release(), pin.origin)
            .because("the build requires the libraries of its CUDA, and conda finds no set of packages")
            .of_package(pin.package)
            .edit(SAY("{}={}", selector->package, cuda->release()));
    }
}

// Packages of conda with the numbers of CUDA's releases, each of which requires the cuda-version of its own.
bool has_number_of_cuda(const std::string& package) {
    for (const char* other :
         {"cuda-python", "cuda-bindings", "cuda-core", "cuda-pathfinder", "cuda-cccl", "cuda-nsight"})
        if (starts_with(package, other)) return false;
    return starts_with(package, "cuda-");
}

// Whether conda fixes a release of it with a minor number, from CUDA 12 on: before, the components have no
// such requirement.
bool fixes_minor(const RecipePin& pin) {
    return !pin.origin.overridable && pin.version && pin.version->numbers.size() > 1 &&
           pin.version->major() > 11;
}

// cuda-version=12.4 beside cuda-nvcc=12.6.
void judge_components_of_conda(const RecipeFacts& recipe, Findings& findings) {
    for (const char* const name : {"cuda-version", "cuda-toolkit"}) {
        const RecipePin* whole = conda_pin(recipe, name);
        if (!whole || !fixes_minor(*whole)) continue;
        const RecipePin* other = first_where(recipe.pins, [&](const RecipePin& pin) {
            return pin.by == "conda" && pin.group == whole->group && has_number_of_cuda(pin.package) &&
                   fixes_minor(pin) && !same_release(*pin.version, *whole->version);
        });
        if (!other) continue;
        add(findings, "CC612", Level::warning, *other,
            SAY("{} is of CUDA {}, and {} is pinned beside it", text_of(*other), other->version->release(),
                text_of(*whole)))
            .of_package(other->package)
            .found(evidence_of(*whole))
            .expected(other->package, whole->version->release(), whole->origin)
            .because(
                "each component requires the cuda-version of its own release, and conda finds no set of "
                "packages")
            .edit(SAY("{}={}", other->package, whole->version->release()));
        return;
    }
}

// cudf-cu12 beside cuml-cu11: both bring RMM, for one CUDA each.
void judge_suites(const RecipeFacts& recipe, const Facts& facts, Findings& findings) {
    for (const CudaSuite& suite : recipe_tables(facts).cuda_suites) {
        const RecipePin* first = nullptr;
        std::string cuda_of_first;
        for (const RecipePin& pin : recipe.pins) {
            const std::size_t at = pin.package.rfind("-cu");
            if (at == npos || !pin.is_from_pypi() || pin.origin.overridable) continue;
            const std::string name = pin.package.substr(0, at), cuda = pin.package.substr(at + 3);
            if (!contains(suite.packages, name)) continue;
            if (!first || first->group != pin.group) {
                first = &pin;
                cuda_of_first = cuda;
            }
            if (cuda == cuda_of_first) continue;
            add(findings, "CC612", Level::warning, pin,
                SAY("{} is for CUDA {}, and {} beside it for CUDA {}", text_of(pin), cuda, text_of(*first),
                    cuda_of_first))
                .found(evidence_of(*first))
                .expected(suite.name, "all for one CUDA", suite.origin)
                .because(SAY("both require the libraries of {} for their own CUDA, which have the same files",
                             suite.name))
                .of_package(pin.package)
                .edit(SAY("{}-cu{}{}", name, cuda_of_first, pin.specifier));
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
