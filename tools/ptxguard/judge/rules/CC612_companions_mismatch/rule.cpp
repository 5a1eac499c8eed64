// CC612 companions_mismatch: packages of one framework are of releases that do not work together, or
// overwrite each other's files.
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <map>

#include "facts/compared.hpp"
#include "facts/recipe_tables.hpp"
#include "facts/variants.hpp"
#include "judge/framework_questions.hpp"
#include "judge/module_questions.hpp"
#include "judge/package_conflicts.hpp"
#include "judge/recipe_questions.hpp"
#include "judge/requirement_conflicts.hpp"
#include "judge/resolution_conflicts.hpp"

namespace ptxguard {
namespace {

// Without a GPU a framework still runs; if the user named it, that is not enough.
Level level_of(const Conflict& conflict, const Expectation& expectation) {
    if (conflict.harm == Harm::import) return Level::error;
    if (conflict.harm == Harm::gpu) return expectation.required ? Level::error : Level::warning;
    return Level::note;
}

Origin where(const Origin& origin) {
    Origin place = origin;
    if (place.text.empty()) place.text = place.path;
    return place;
}

const Expectation* torch_of(const Scenario& scenario) {
    const Expectation* torch = nullptr;
    for (const Expectation& one : scenario.expectations)
        if (one.framework == "PyTorch") torch = &one;
    return torch;
}

// 12.2 of cu122, 12 of cu12.
std::optional<Version> cuda_of_digits(std::string_view digits) {
    if (digits.size() == 2 && digits[0] == '1') return parse_version(digits);
    return cuda_of_tag("cu" + std::string(digits));
}

// Pages for several releases in branches that may not be executed: the script selects the one that fits.
bool is_one_of_several(const RecipeFacts& recipe, const RecipeIndex& index) {
    if (!index.origin.overridable) return false;
    const auto page = torch_of_page(index.url);
    return std::any_of(recipe.indexes.begin(), recipe.indexes.end(), [&](const RecipeIndex& other) {
        if (other.use != IndexUse::links || !other.origin.overridable) return false;
        const auto of_other = torch_of_page(other.url);
        return page && of_other && !same_release(*page, *of_other);
    });
}

void judge_pages(const Scenario& scenario, Findings& findings) {
    const RecipeFacts& recipe = scenario.recipe;
    const Expectation* torch = torch_of(scenario);
    const bool own_build = !torch && recipe.image.name == "nvidia/pytorch";
    for (const RecipeIndex& index : recipe.indexes) {
        const auto page = torch_of_page(index.url);
        if (!page || (!own_build && (!torch || !torch->version || same_release(*torch->version, *page))))
            continue;
        if (is_one_of_several(recipe, index)) continue;
        const std::string here = own_build ? name_of(recipe.image) : name_of(*torch);
        Finding& finding =
            add(findings, "CC612", own_build ? Level::warning : Level::error, index.url,
                "the wheels at " + index.url + " are built for PyTorch " + page->text + ", and " + here +
                    (own_build ? " has NVIDIA's own build" : " is installed"));
        finding.found = {{"page", index.url, index.origin}};
        finding.found.push_back(own_build ? evidence_of(recipe.image)
                                          : Evidence{torch->package, here, where(torch->version.origin)});
        finding.expected = {{"page", own_build ? "none" : "one for torch " + torch->version->release(), {}}};
        finding.because =
            own_build ? "NVIDIA builds a pre-release of PyTorch with its own settings; extensions for "
                        "the published wheels may not load ('undefined symbol')"
                      : "extensions of PyTorch work with the minor release for which they are built";
        finding.fix = {{FixKind::manual, own_build ? "build the packages in the image (--no-binary :all:)"
                                                   : "use the page for torch " + torch->version->release()}};
    }
}

// What wheels find: the CUDA of torch, which they are built for, else that of the image's libraries.
struct CudaHere {
    Known<Version> cuda;
    std::string of;
};
CudaHere cuda_here(const Scenario& scenario) {
    const Expectation* torch = torch_of(scenario);
    if (torch && never_released(*torch)) return {};
    if (torch) return {torch->cuda, name_of(*torch)};
    const RecipeFacts& recipe = scenario.recipe;
    const bool of_image = recipe.image.cuda && recipe.libraries_cuda &&
                          recipe.libraries_cuda.origin.line == recipe.image.origin.line;
    return {recipe.libraries_cuda, of_image ? name_of(recipe.image) : "the recipe"};
}

void report_build(const Evidence& wheels, const std::string& what, const Version& cuda, const CudaHere& here,
                  Findings& findings) {
    const bool by_minor = cuda.major() == here.cuda->major();
    const std::string wanted = by_minor ? here.cuda->release() : std::to_string(here.cuda->major());
    const Level level = by_minor && cuda.major() > 10 ? Level::note : Level::warning;
    Finding& finding =
        add(findings, "CC612", level, wheels.value,
            what + " built for CUDA " + cuda.text + ", and " + here.of + " has CUDA " + here.cuda->text);
    finding.found = {wheels};
    finding.expected = {{"CUDA", wanted, here.cuda.origin}};
    finding.because =
        level == Level::note
            ? "within one major the libraries have the same names; the project asks for the same release"
            : "the libraries of another CUDA release have other names; the loader finds none of them";
    finding.fix = {{FixKind::manual, "use the one for CUDA " + wanted}};
}

// Indexes and pages of other projects for one CUDA. PyTorch's own determine torch.
void judge_builds(const Scenario& scenario, Findings& findings) {
    const RecipeFacts& recipe = scenario.recipe;
    const Expectation* torch = torch_of(scenario);
    const CudaHere here = cuda_here(scenario);
    if (!is_recipe(scenario) || !here.cuda) return;
    for (const RecipeIndex& index : recipe.indexes) {
        const auto cuda = cuda_of_tag(index.build);
        const bool pytorch = index.url.find("pytorch") != std::string::npos;
        if (!cuda || pytorch || index.is_pypi()) continue;
        // Pages for one release of torch are for one of its builds.
        const bool of_build = torch && torch_of_page(index.url) && here.cuda->numbers.size() > 1;
        if (!differs_in_names(*cuda, *here.cuda) && !(of_build && !same_release(*cuda, *here.cuda))) continue;
        if (is_one_of_several(recipe, index)) continue;
        report_build({"page", index.url, index.origin}, "the wheels at " + index.url + " are", *cuda, here,
                     findings);
    }
}

// dgl-cu102
void judge_names(const Scenario& scenario, const Facts& facts, Findings& findings) {
    const CudaHere here = cuda_here(scenario);
    if (!is_recipe(scenario) || !here.cuda) return;
    for (const RecipePin& pin : scenario.recipe.pins)
        for (const std::string& start : recipe_tables(facts).cuda_in_name) {
            if (!pin.by_pip() || pin.package.compare(0, start.size(), start) != 0) continue;
            const auto cuda = cuda_of_digits(std::string_view(pin.package).substr(start.size()));
            if (cuda && differs_in_names(*cuda, *here.cuda))
                report_build(evidence_of(pin), text_of(pin) + " is", *cuda, here, findings);
        }
}

// The release of torch in a wheel's local version: cu122torch2.2cxx11abiFALSE, pt112cu113.
std::optional<Version> torch_of_local(const std::string& local) {
    if (local.find("torch") != std::string::npos) return torch_of_page(local);
    if (local.compare(0, 2, "pt") != 0 || local.size() < 4) return std::nullopt;
    const std::size_t end = std::min(local.find_first_not_of("0123456789", 2), local.size());
    return end > 3 ? parse_version(local.substr(2, 1) + "." + local.substr(3, end - 3)) : std::nullopt;
}

// flash_attn-2.5.6+cu122torch2.2cxx11abiFALSE: a wheel whose name contains what it is built for.
void judge_wheels(const Scenario& scenario, Findings& findings) {
    const Expectation* torch = torch_of(scenario);
    const CudaHere here = cuda_here(scenario);
    if (!is_recipe(scenario)) return;
    for (const RecipePin& pin : scenario.recipe.pins) {
        const std::string local = pin.by_pip() && pin.version ? pin.version->local() : "";
        const std::size_t cu = local.find("cu");
        const std::optional<Version> release = torch_of_local(local);
        if (!release) continue;
        if (torch && torch->version && !never_released(*torch) && !same_release(*torch->version, *release)) {
            Finding& finding = add(findings, "CC612", Level::error, text_of(pin),
                                   text_of(pin) + " is built for PyTorch " + release->text + ", and " +
                                       name_of(*torch) + " is installed");
            finding.found = {evidence_of(pin),
                             {torch->package, name_of(*torch), where(torch->version.origin)}};
            finding.expected = {{"wheel", "one for torch " + torch->version->release(), {}}};
            finding.because = "extensions of PyTorch work with the minor release for which they are built";
            finding.fix = {{FixKind::manual, "use the wheel for torch " + torch->version->release()}};
            continue;
        }
        const Installed* newest = newest_of(scenario.recipe, "torch");
        if (newest && (!torch || !torch->version) && !same_release(*newest->version, *release)) {
            Finding& finding = add(findings, "CC612", Level::warning, text_of(pin),
                                   text_of(pin) + " is built for PyTorch " + release->text + ", and torch " +
                                       newest->version->text + " is the newest");
            finding.found = {evidence_of(pin), {"torch", newest->version->text, newest->asked}};
            finding.expected = {{"wheel", "one for torch " + newest->version->release(), {}}};
            finding.because = "extensions of PyTorch work with the minor release for which they are built";
            finding.fix = {{FixKind::manual, "pin torch " + release->text}};
            continue;
        }
        if (cu == std::string::npos) continue;
        const std::size_t end = std::min(local.find_first_not_of("0123456789", cu + 2), local.size());
        const auto cuda = cuda_of_digits(std::string_view(local).substr(cu + 2, end - cu - 2));
        if (cuda && here.cuda && differs_in_names(*cuda, *here.cuda))
            report_build(evidence_of(pin), text_of(pin) + " is", *cuda, here, findings);
    }
}

// conda installs one release of the framework, and pip overwrites it with another.
void judge_managers(const Scenario& scenario, const Expectation& one, Findings& findings) {
    const RecipePin *conda = nullptr, *pip = nullptr;
    for (const RecipePin& pin : scenario.recipe.pins) {
        if (!pin.version) continue;
        if (pin.by == "conda" &&
            (pin.package == one.package || (one.package == "torch" && pin.package == "pytorch")))
            conda = &pin;
        if (pin.by_pip() && pin.package == one.package) pip = &pin;
    }
    if (!conda || !pip) return;
    const Version &before = *conda->version, &after = *pip->version;
    for (std::size_t i = 0; i < std::min(before.numbers.size(), std::size_t{3}); ++i)
        if (before.at(i) != after.at(i)) {
            Finding& finding = add(findings, "CC612", Level::warning, text_of(*pip),
                                   text_of(*pip) + " of pip replaces " + text_of(*conda) + " of conda");
            finding.found = {evidence_of(*pip), evidence_of(*conda)};
            finding.expected = {{one.package, before.text, conda->origin}};
            finding.because =
                "pip installs its release over conda's, and what conda has chosen for that one stays";
            finding.fix = {{FixKind::manual, "ask for it in one place"}};
            return;
        }
}

// pip replaces the framework of the image, because a range excludes its release (an exact pin is
// intentional), or the one installed by an earlier command, because a package requires another release.
void judge_replaced(const Scenario& scenario, const Expectation& one, Findings& findings) {
    if (!is_recipe(scenario)) return;
    for (const Disagreement& range : one.disagreements) {
        const RecipeImage& image = scenario.recipe.image;
        const Origin &place = range.other_origin, &from = image.origin;
        const bool of_image = from.line && place.line == from.line && place.path == from.path;
        const auto before = parse_version(range.other);
        const auto chosen = before ? cuda_of_tag(before->local()) : std::nullopt;
        const bool other_cuda = chosen && one.cuda && !same_release(*chosen, *one.cuda);
        const std::string where_from = of_image ? " of " + name_of(image) : "";
        Finding& finding =
            add(findings, "CC612", of_image || other_cuda ? Level::warning : Level::note, range.used,
                range.used + " replaces " + range.what + " " + range.other + where_from);
        finding.found = {{"pip", range.used, range.used_origin},
                         {of_image ? "image" : "pip",
                          of_image ? name_of(image) : one.package + "==" + range.other, range.other_origin}};
        finding.expected = {{one.package, range.other, range.other_origin}};
        finding.because = "pip installs another release over it, with the CUDA of PyPI's build";
        if (one.cuda) finding.because += " (" + one.cuda->release() + ")";
        finding.fix = {
            {FixKind::manual, of_image ? "widen the range, or use an image with a release that it accepts"
                                       : "pin the release that the package requires, with its index"}};
    }
}

// NVIDIA's images contain their own PyTorch, which a pinned one replaces.
void judge_own_build(const Scenario& scenario, Findings& findings) {
    const RecipeImage& image = scenario.recipe.image;
    if (!is_recipe(scenario) || image.name != "nvidia/pytorch") return;
    for (const RecipePin& pin : scenario.recipe.pins) {
        if (pin.package != "torch" || !pin.by_pip() || !pin.version || pin.no_deps) continue;
        Finding& finding = add(findings, "CC612", Level::note, text_of(pin),
                               text_of(pin) + " replaces NVIDIA's own PyTorch of " + name_of(image));
        finding.found = {evidence_of(pin), evidence_of(image)};
        finding.because = "what the image has compiled for its own PyTorch does not load with another one";
        finding.fix = {{FixKind::manual, "keep the image's PyTorch, or start from an image without one"}};
        return;
    }
}

const RecipePin* pin_of(const RecipeFacts& recipe, const std::string& package) {
    const RecipePin* found = nullptr;
    for (const RecipePin& pin : recipe.pins)
        if (pin.package == package && pin.by_pip()) found = &pin;
    return found;
}

void say_compared(const ComparedPackages& pair, const ComparedRow& row, Findings& findings) {
    const std::string own = pair.package + " " + pair.version->text,
                      of = pair.of + " " + pair.of_version->text;
    const std::string wanted = pair.of_version->without_local();
    Finding& finding = add(findings, "CC612", Level::error, own, own + " is not of the release of " + of);
    finding.package = pair.package;
    finding.found = {{"package", own, where(pair.version.origin)},
                     {"beside", of, where(pair.of_version.origin)}};
    finding.expected = {{pair.package, wanted, row.origin}};
    finding.because = row.effect;
    finding.fix = {{FixKind::manual, "install both of one release: " + pair.package + "==" + wanted +
                                         ", or " + pair.of + "==" + pair.version->without_local()}};
}

void judge_pair(const ComparedRow& row, const ComparedPackages& pair, Findings& findings) {
    if (pair.package != row.package || pair.of != row.of || !pair.off_by.empty()) return;
    if (!pair.version || !pair.of_version || !row.covers(*pair.of_version)) return;
    if (refuses(row, *pair.version, *pair.of_version)) say_compared(pair, row, findings);
}

// The installed packages of a machine, the pins of a recipe.
void judge_compared(const Scenario& scenario, const Facts& facts, Findings& findings) {
    for (const ComparedRow& row : compared_rows(facts)) {
        for (const ComparedPackages& pair : scenario.python.compared) judge_pair(row, pair, findings);
        const RecipePin* own = pin_of(scenario.recipe, row.package);
        const RecipePin* of = pin_of(scenario.recipe, row.of);
        if (!own || !of || !own->version || !of->version) continue;
        judge_pair(row, {row.package, row.of, {*own->version, own->origin}, {*of->version, of->origin}, ""},
                   findings);
    }
}

void judge_conflicts(const Scenario& scenario, const Facts& facts, const Expectation& expectation,
                     Findings& findings) {
    if (is_recipe(scenario) && never_released(expectation)) return;
    for (const Conflict& conflict : package_conflicts(expectation, facts)) {
        Finding& finding = add(findings, "CC612", level_of(conflict, expectation),
                               conflict.package + (expectation.path.empty() ? "" : ", " + expectation.path),
                               conflict.package + " " + conflict.message);
        finding.found.push_back({"package", conflict.package, where(conflict.package_origin)});
        if (!conflict.other.empty())
            finding.found.push_back({"beside", conflict.other, where(conflict.other_origin)});
        if (!conflict.wanted.empty())
            finding.expected.push_back(
                {conflict.package.substr(0, conflict.package.find(' ')), conflict.wanted, {}});
        finding.because = conflict.effect;
        const Fix shared =
            conflict.lost.empty() ? Fix{} : lost_files_fix(scenario, expectation, conflict.lost);
        if (shared.kind == FixKind::manual && !shared.text.empty())
            finding.fix.push_back(shared);
        else if (is_recipe(scenario) && !conflict.pin.empty())
            finding.fix.push_back({FixKind::edit, conflict.pin});
        else if (!conflict.fix.text.empty())
            finding.fix.push_back(conflict.fix);
    }
}

// torch==1.10.2+cu113 torchvision==0.11.3+cu111 in one command, also where a later one, perhaps in another
// branch, installs both again.
void judge_one_command(const RecipeFacts& recipe, Findings& findings) {
    const auto cuda_of = [](const RecipePin& pin) {
        return pin.version && pin.by_pip() ? cuda_of_tag(pin.version->local()) : std::nullopt;
    };
    std::map<int, const RecipePin*> torch_of_group;
    for (const RecipePin& pin : recipe.pins)
        if (pin.package == "torch") torch_of_group[pin.group] = &pin;
    for (const RecipePin& other : recipe.pins) {
        if (other.package != "torchvision" && other.package != "torchaudio") continue;
        const auto torch = torch_of_group.find(other.group);
        const auto cuda = torch == torch_of_group.end() ? std::nullopt : cuda_of(*torch->second);
        const auto own = cuda_of(other);
        if (!cuda || !own || *cuda == *own) continue;
        const bool said = std::any_of(findings.begin(), findings.end(), [&](const Finding& finding) {
            return !finding.found.empty() && finding.found.front().origin.path == other.origin.path &&
                   finding.found.front().origin.line == other.origin.line;
        });
        if (said) continue;
        const RecipePin& pin = *torch->second;
        Finding& finding = add(findings, "CC612", Level::error, text_of(other),
                               text_of(other) + " is built for CUDA " + own->release() + ", " + text_of(pin) +
                                   " beside it for CUDA " + cuda->release());
        finding.found = {evidence_of(other), evidence_of(pin)};
        finding.expected = {{other.package, other.version->without_local() + "+" + pin.version->local(), {}}};
        finding.because = "importing it ends with 'compiled with different CUDA versions'";
        finding.fix = {{FixKind::manual, other.package + "==" + finding.expected.front().value}};
    }
}

// Modules that need the libraries of another CUDA than the framework's.
void judge_modules_of_other_cuda(const Scenario& scenario, const Facts& facts, Findings& findings) {
    for (const BrokenPackage& broken : broken_packages(scenario, facts)) {
        if (broken.fault != ModuleFault::other_cuda) continue;
        const LoadedFile& library = broken.first().missing.front();
        const Expectation* framework = broken.framework;
        std::string message = broken.name() + " needs " + library.name + ", which nothing brings";
        if (framework && framework->cuda)
            message += "; " + broken.framework_name() + " is built for CUDA " + framework->cuda->release();
        else if (framework && framework->cpu_only.value.value_or(false))
            message += "; " + broken.framework_name() + " is built without CUDA";
        add_broken(broken, "CC612", message, facts, findings);
    }
}

}  // namespace

PTXGUARD_RULE(CC612) {
    judge_pages(scenario, findings);
    judge_builds(scenario, findings);
    judge_own_build(scenario, findings);
    judge_names(scenario, facts, findings);
    judge_wheels(scenario, findings);
    for (const Expectation& expectation : scenario.expectations) {
        judge_replaced(scenario, expectation, findings);
        if (is_recipe(scenario)) judge_managers(scenario, expectation, findings);
        judge_conflicts(scenario, facts, expectation, findings);
    }
    judge_one_command(scenario.recipe, findings);
    judge_compared(scenario, facts, findings);
    judge_requirements(scenario, facts, findings);
    if (is_recipe(scenario)) judge_resolution(scenario, facts, findings);
    judge_modules_of_other_cuda(scenario, facts, findings);
}

}  // namespace ptxguard
