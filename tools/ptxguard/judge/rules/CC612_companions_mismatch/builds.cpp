// SPDX-License-Identifier: Apache-2.0
#include "judge/rules/CC612_companions_mismatch/parts.hpp"

#include <algorithm>
#include <iterator>
#include <map>

#include "facts/libraries.hpp"
#include "facts/recipe_tables.hpp"
#include "facts/variants.hpp"
#include "judge/framework_questions.hpp"
#include "judge/recipe_questions.hpp"
#include "model/named_cuda.hpp"
#include "model/ranges.hpp"

namespace ptxguard {

const Expectation* torch_here(const Scenario& scenario) {
    const Expectation* torch = nullptr;
    for (const Expectation& one : scenario.expectations)
        if (one.framework == "PyTorch") torch = &one;
    return torch;
}

CudaHere cuda_here(const Scenario& scenario) {
    const Expectation* torch = torch_here(scenario);
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

namespace {

// Pages for several releases in branches that may not be executed: the script selects the one that fits.
bool is_one_of_pages(const RecipeFacts& recipe, const RecipeIndex& index) {
    if (!index.origin.overridable) return false;
    const auto page = torch_of_page(index.url);
    return any_of(recipe.indexes, [&](const RecipeIndex& other) {
        if (other.use != IndexUse::links || !other.origin.overridable) return false;
        const auto of_other = torch_of_page(other.url);
        return page && of_other && !same_release(*page, *of_other);
    });
}

void judge_pages(const Scenario& scenario, const Facts& facts, Findings& findings) {
    const RecipeFacts& recipe = scenario.recipe;
    const Expectation* torch = torch_here(scenario);
    const bool own_build = !torch && recipe.image.name == "nvidia/pytorch";
    const RecipeTables& tables = recipe_tables(facts);
    for (const RecipeIndex& index : recipe.indexes) {
        const auto page = torch_of_page(index.url);
        if (!page ||
            (!own_build && (!torch || !torch->version || tables.loads_extensions(*torch->version, *page))))
            continue;
        if (is_one_of_pages(recipe, index)) continue;
        // pip searches all pages, and takes the newest: that for this torch.
        if (torch && any_of(recipe.indexes, [&](const RecipeIndex& other) {
                const auto of_other = torch_of_page(other.url);
                return other.group == index.group && of_other &&
                       tables.loads_extensions(*torch->version, *of_other);
            }))
            continue;
        const std::string here = own_build ? name_of(recipe.image) : name_of(*torch);
        Finding& finding =
            add(findings, "CC612", own_build ? Level::warning : Level::error, index.url,
                "the wheels at " + index.url + " are built for PyTorch " + page->text + ", and " + here +
                    (own_build ? " has NVIDIA's own build" : " is installed"));
        finding.found = {{"page", index.url, index.origin}};
        finding.found.push_back(own_build
                                    ? evidence_of(recipe.image)
                                    : Evidence{torch->package, here, named_place(torch->version.origin)});
        finding.expected = {{"page", own_build ? "none" : "one for torch " + torch->version->release(), {}}};
        finding.because =
            own_build ? "NVIDIA builds a pre-release of PyTorch with its own settings; extensions for "
                        "the published wheels may not load ('undefined symbol')"
                      : "extensions of PyTorch work with the minor release for which they are built";
        finding.fix = {{FixKind::manual, own_build ? "build the packages in the image (--no-binary :all:)"
                                                   : "use the page for torch " + torch->version->release()}};
    }
}

// Indexes and pages of other projects for one CUDA. PyTorch's own determine torch.
void judge_builds(const Scenario& scenario, Findings& findings) {
    const RecipeFacts& recipe = scenario.recipe;
    const Expectation* torch = torch_here(scenario);
    const CudaHere here = cuda_here(scenario);
    if (!is_recipe(scenario) || !here.cuda) return;
    for (const RecipeIndex& index : recipe.indexes) {
        const auto cuda = cuda_of_tag(index.build);
        const bool pytorch = index.url.find("pytorch") != std::string::npos &&
                             index.url.find("pytorch3d") == std::string::npos;
        if (!cuda || pytorch || index.is_pypi()) continue;
        // Pages for one release of torch are for one of its builds.
        const bool of_build = torch && torch_of_page(index.url) && here.cuda->numbers.size() > 1;
        if (!differs_in_names(*cuda, *here.cuda) && !(of_build && !same_release(*cuda, *here.cuda))) continue;
        if (is_one_of_pages(recipe, index)) continue;
        report_build({"page", index.url, index.origin}, "the wheels at " + index.url + " are", *cuda, here,
                     findings);
    }
}

// .../whl/torch-2.1.0+cpu.html beside a torch with CUDA.
void judge_cpu_pages(const RecipeFacts& recipe, Findings& findings, const Expectation* torch) {
    if (!torch || !torch->cuda || !torch->may_use_cuda() || never_released(*torch)) return;
    // PyPI's torch has CUDA wherever it is installed; the runners of CI systems have no GPU.
    const bool asked = torch->version && !torch->version->local().empty();
    const bool hosted = recipe.kind == "workflow" && !recipe.gpu && !recipe.platform;
    if (hosted && !asked) return;
    for (const RecipeIndex& index : recipe.indexes) {
        const bool of_others = index.use == IndexUse::links && torch_of_page(index.url) &&
                               index.url.find("pytorch.org") == std::string::npos;
        if (index.build != "cpu" || !of_others || is_one_of_pages(recipe, index)) continue;
        Finding& finding = add(findings, "CC612", Level::warning, index.url,
                               "the wheels at " + index.url + " are built for CPUs only, and " +
                                   name_of(*torch) + " has CUDA " + torch->cuda->release());
        finding.found = {{"page", index.url, index.origin}};
        finding.expected = {{"CUDA", torch->cuda->release(), torch->cuda.origin}};
        finding.because = "their operators refuse tensors on a GPU ('Not compiled with CUDA support')";
        finding.fix = {{FixKind::manual, "use the page for CUDA " + torch->cuda->release()}};
    }
}

void report_pair(const RecipePin& torch, const RecipePin& pin, const Companion& companion,
                 const Version& cuda, const Version& other, Findings& findings) {
    Finding& finding =
        add(findings, "CC612", cuda.major() == other.major() ? Level::warning : Level::error, text_of(pin),
            text_of(pin) + " is built for CUDA " + other.release() + ", and " + text_of(torch) +
                " beside it for CUDA " + cuda.release());
    finding.found = {evidence_of(pin), evidence_of(torch)};
    finding.expected = {{"CUDA", cuda.release(), torch.origin}};
    // The branch that has one has the other.
    for (auto* side : {&finding.found, &finding.expected})
        for (Evidence& one : *side) one.origin.overridable = false;
    finding.because = companion.effect;
    finding.fix = {
        {FixKind::edit, pin.package + "==" + pin.version->without_local() + "+" + torch.version->local()}};
}

// torch==1.10.2+cu113 and torchvision==0.11.3+cu111 of one command, which a later one or another branch
// replaces; those that stay are judged as companions.
void judge_commands(const Scenario& scenario, const Facts& facts, Findings& findings) {
    std::map<int, const RecipePin*> torches;  // by command
    for (const RecipePin& pin : scenario.recipe.pins)
        if (pin.package == "torch" && pin.by_pip()) torches[pin.group] = &pin;
    if (torches.size() < 2) return;
    torches.erase(std::prev(torches.end()));
    for (const RecipePin& pin : scenario.recipe.pins) {
        const auto beside = torches.find(pin.group);
        if (beside == torches.end() || !pin.version || !beside->second->version) continue;
        const RecipePin& torch = *beside->second;
        const auto cuda = cuda_of_tag(torch.version->local()), other = cuda_of_tag(pin.version->local());
        const Companion* companion = cuda && other ? companion_of(facts, "torch", pin.package) : nullptr;
        if (companion && !same_release(*cuda, *other))
            report_pair(torch, pin, *companion, *cuda, *other, findings);
    }
}

// The release of torch in a wheel's local version: cu122torch2.2cxx11abiFALSE, pt112cu113.
std::optional<Version> torch_of_local(const std::string& local) {
    if (local.find("torch") != std::string::npos) return torch_of_page(local);
    if (local.compare(0, 2, "pt") != 0 || local.size() < 4) return std::nullopt;
    const std::size_t end = std::min(local.find_first_not_of("0123456789", 2), local.size());
    return end > 3 ? parse_version(local.substr(2, 1) + "." + local.substr(3, end - 3)) : std::nullopt;
}

// The std::string in a wheel's name: cxx11abiFALSE, cxx11abiTRUE.
std::optional<int> abi_of_local(const std::string& local) {
    const std::size_t at = local.find("abi");
    if (at == std::string::npos) return std::nullopt;
    const char first = at + 3 < local.size() ? local[at + 3] : ' ';
    return first == 'T' || first == 't' || first == '1'   ? std::optional<int>(1)
           : first == 'F' || first == 'f' || first == '0' ? std::optional<int>(0)
                                                          : std::nullopt;
}

bool judge_abi(const RecipePin& pin, const Expectation& torch, Findings& findings) {
    const auto abi = abi_of_local(pin.version->local());
    if (!abi || !torch.cxx_abi || never_released(torch) || *abi == *torch.cxx_abi) return false;
    // From 2.7 on all of torch's builds have the new one, so that the name of a wheel for them says nothing.
    static const Version k_only_new = *parse_version("2.7");
    const auto release = torch_of_local(pin.version->local());
    if (!*abi && release && !(*release < k_only_new)) return false;
    const std::string wanted = *torch.cxx_abi ? "cxx11abiTRUE" : "cxx11abiFALSE";
    Finding& finding = add(findings, "CC612", Level::error, text_of(pin),
                           text_of(pin) + " is built with the " + (*abi ? "new" : "old") +
                               " std::string, and " + name_of(torch) + " with the other");
    finding.found = {evidence_of(pin), {torch.package, name_of(torch), named_place(torch.version.origin)}};
    finding.expected = {{"wheel", wanted, torch.cxx_abi.origin}};
    finding.because =
        "importing it ends with 'undefined symbol': functions of torch that take a std::string "
        "have other names in the two ABIs";
    finding.fix = {{FixKind::manual, "use the wheel with " + wanted + " in its name"}};
    return true;
}

// flash_attn-2.5.6+cu122torch2.2cxx11abiFALSE: a wheel whose name contains what it is built for.
void judge_wheels(const Scenario& scenario, const Facts& facts, Findings& findings) {
    const Expectation* torch = torch_here(scenario);
    const CudaHere here = cuda_here(scenario);
    const RecipeTables& tables = recipe_tables(facts);
    if (!is_recipe(scenario)) return;
    for (const RecipePin& pin : scenario.recipe.pins) {
        const std::string local = pin.by_pip() && pin.version ? pin.version->local() : "";
        const std::size_t cu = local.find("cu");
        const std::optional<Version> release = torch_of_local(local);
        if (!release) continue;
        if (torch && torch->version && !never_released(*torch) &&
            !tables.loads_extensions(*torch->version, *release)) {
            Finding& finding = add(findings, "CC612", Level::error, text_of(pin),
                                   text_of(pin) + " is built for PyTorch " + release->text + ", and " +
                                       name_of(*torch) + " is installed");
            finding.found = {evidence_of(pin),
                             {torch->package, name_of(*torch), named_place(torch->version.origin)}};
            finding.expected = {{"wheel", "one for torch " + torch->version->release(), {}}};
            finding.because = "extensions of PyTorch work with the minor release for which they are built";
            finding.fix = {{FixKind::manual, "use the wheel for torch " + torch->version->release()}};
            continue;
        }
        if (torch && judge_abi(pin, *torch, findings)) continue;
        const Installed* newest = newest_of(scenario.recipe, "torch");
        if (newest && (!torch || !torch->version) && !tables.loads_extensions(*newest->version, *release)) {
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
        const auto cuda = cuda_of_number(std::string_view(local).substr(cu + 2, end - cu - 2));
        if (cuda && here.cuda && differs_in_names(*cuda, *here.cuda))
            report_build(evidence_of(pin), text_of(pin) + " is", *cuda, here, findings);
    }
}

}  // namespace

void judge_built_for(const Scenario& scenario, const Facts& facts, Findings& findings) {
    judge_pages(scenario, facts, findings);
    judge_builds(scenario, findings);
    if (is_recipe(scenario)) judge_cpu_pages(scenario.recipe, findings, torch_here(scenario));
    if (is_recipe(scenario)) judge_commands(scenario, facts, findings);
    judge_cuda_in_names(scenario, facts, findings);
    judge_wheels(scenario, facts, findings);
    judge_promises(scenario, facts, findings);
}

}  // namespace ptxguard
