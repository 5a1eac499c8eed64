// CC612 companions_mismatch: packages of one framework are of releases that do not work together, or
// overwrite each other's files.
// SPDX-License-Identifier: Apache-2.0
#include "judge/framework_questions.hpp"
#include "judge/module_questions.hpp"
#include "judge/package_conflicts.hpp"
#include "judge/recipe_questions.hpp"

namespace ptxguard {
namespace {

// Without a GPU a framework still runs; if the user named it, that is not good enough.
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

// 2.1.0 of .../whl/torch-2.1.0+cu121.html and .../cu113/torch1.11.0/index.html: pages with wheels for one
// release of PyTorch.
std::optional<Version> torch_of_page(const std::string& url) {
    for (std::size_t at = url.find("torch"); at != std::string::npos; at = url.find("torch", at + 1)) {
        std::size_t begin = at + 5;
        if (begin < url.size() && url[begin] == '-') ++begin;
        const std::size_t end = std::min(url.find_first_not_of("0123456789.", begin), url.size());
        std::string number = url.substr(begin, end - begin);
        while (!number.empty() && number.back() == '.') number.pop_back();
        const auto version = parse_version(number);
        if (version && version->numbers.size() > 1) return version;
    }
    return std::nullopt;
}

void judge_pages(const Scenario& scenario, Findings& findings) {
    const RecipeFacts& recipe = scenario.recipe;
    const Expectation* torch = nullptr;
    for (const Expectation& one : scenario.expectations)
        if (one.framework == "PyTorch") torch = &one;
    const bool own_build = !torch && recipe.image.name == "nvidia/pytorch";
    for (const RecipeIndex& index : recipe.indexes) {
        const auto page = index.use == IndexUse::links ? torch_of_page(index.url) : std::nullopt;
        if (!page || (!own_build && (!torch || !torch->version || same_release(*torch->version, *page))))
            continue;
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

// pip replaces the framework of the image, because a range leaves its release out. An exact pin is meant so.
void judge_replaced(const Scenario& scenario, const Expectation& one, Findings& findings) {
    if (!is_recipe(scenario)) return;
    for (const Disagreement& range : one.disagreements) {
        Finding& finding = add(findings, "CC612", Level::warning, range.used,
                               range.used + " replaces " + range.what + " " + range.other + " of " +
                                   name_of(scenario.recipe.image));
        finding.found = {{"pip", range.used, range.used_origin},
                         {"image", name_of(scenario.recipe.image), range.other_origin}};
        finding.expected = {{one.package, range.other, range.other_origin}};
        finding.because = "pip installs another release over it, with the CUDA of PyPI's build";
        finding.fix = {{FixKind::manual, "widen the range, or use an image with a release that it accepts"}};
    }
}

// Modules that need the libraries of another CUDA than the framework brings.
void judge_modules(const Scenario& scenario, const Facts& facts, Findings& findings) {
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
    for (const Expectation& expectation : scenario.expectations)
        judge_replaced(scenario, expectation, findings);
    for (const Expectation& expectation : scenario.expectations)
        for (const Conflict& conflict : package_conflicts(expectation, facts)) {
            Finding& finding =
                add(findings, "CC612", level_of(conflict, expectation),
                    conflict.package + (expectation.path.empty() ? "" : ", " + expectation.path),
                    conflict.package + " " + conflict.message);
            finding.found.push_back({"package", conflict.package, where(conflict.package_origin)});
            if (!conflict.other.empty())
                finding.found.push_back({"beside", conflict.other, where(conflict.other_origin)});
            if (!conflict.wanted.empty())
                finding.expected.push_back(
                    {conflict.package.substr(0, conflict.package.find(' ')), conflict.wanted, {}});
            finding.because = conflict.effect;
            if (!conflict.fix.text.empty()) finding.fix.push_back(conflict.fix);
        }
    judge_modules(scenario, facts, findings);
}

}  // namespace ptxguard
