// The given indexes do not have the requested CUDA build, or a given index provides nothing.
// SPDX-License-Identifier: Apache-2.0
#include "facts/libraries.hpp"
#include "facts/pypi.hpp"
#include "facts/variants.hpp"
#include "judge/framework_questions.hpp"
#include "judge/recipe_questions.hpp"
#include "judge/rules/CC614_index_without_effect/parts.hpp"
#include "model/ranges.hpp"
#include "python/specifier.hpp"

namespace ptxguard {
namespace {

bool is_pytorch_page(const RecipeIndex& index) { return index.url.find("pytorch") != std::string::npos; }

bool is_torch_family(const RecipePin& pin) {
    for (const char* name : {"torch", "torchvision", "torchaudio", "torchtext"})
        if (pin.package == name) return true;
    return false;
}

const char* const k_jax_page = "https://storage.googleapis.com/jax-releases/jax_cuda_releases.html";

// "cu121", "cpu", "rocm6.0", "cuda11.cudnn86", "pt20cu118"; images and private feeds use others (+nv23.10).
bool is_build_tag(const std::string& local) {
    return local == "cpu" || cuda_of_tag(local) || local.compare(0, 4, "rocm") == 0 ||
           local.compare(0, 4, "cuda") == 0 ||
           (local.compare(0, 2, "pt") == 0 && local.find("cu") != std::string::npos);
}

// An earlier command, or the image, has brought that build.
bool is_there_before(const RecipeFacts& recipe, const RecipePin& pin, const std::string& build) {
    return any_of(recipe.installed, [&](const Installed& one) {
        return one.package == pin.package && one.version && one.build == build &&
               one.version->without_local() == pin.version->without_local() && !pin.upgrade &&
               (one.of_image || one.group < pin.group);
    });
}

// pip installs nothing where what the image or an earlier command has brought meets the requirement.
bool is_met_before(const RecipeFacts& recipe, const RecipePin& pin) {
    return !pin.upgrade && any_of(recipe.installed, [&](const Installed& one) {
        if (one.package != pin.package || !one.version || !(one.of_image || one.group < pin.group))
            return false;
        return pin.version ? one.version->without_local() == pin.version->without_local()
                           : accepts(pin.specifier, *one.version);
    });
}

// torch==2.1.0+cu121 if only PyPI is searched: PyPI has no local versions.
bool judge_local(const Scenario& scenario, const Facts& facts, const RecipePin& pin, Findings& findings) {
    const std::string build = pin.version->local();
    if (!is_build_tag(build) || !pin.wheel.empty() || pin.open) return false;
    if (is_there_before(scenario.recipe, pin, build)) return false;
    const bool of_pytorch = is_torch_family(pin);
    if (!of_pytorch && !indexes_of(scenario.recipe, pin).empty()) return false;
    if (cuda_of_tag(build) && published_build(facts, pin.package, *pin.version, build) == Published::no)
        return false;                                      // CC603
    for (const RefusedPin& one : scenario.recipe.refused)  // a nightly build that is gone: CC603
        if (one.why == Refusal::no_release && one.origin.is_at(pin.origin)) return false;
    const auto indexes = indexes_of(scenario.recipe, pin);
    if (may_serve(indexes, build)) return false;
    // Who installs the requirements of a file may name an index; those of a package can only be installed so.
    const bool metadata =
        scenario.recipe.kind == "setup.py" || (scenario.recipe.kind == "pyproject.toml" && pin.by == "pip");
    const bool whole = scenario.recipe.kind != "requirements file" && !metadata;
    const bool other = any_of(indexes, [](const RecipeIndex* index) { return !index->build.empty(); });
    const Level level = whole || other ? Level::error : metadata ? Level::note : Level::warning;
    Finding& finding = add(findings, "CC614", level, text_of(pin),
                           text_of(pin) + " is in none of the indexes that " + pin.by + " searches");
    finding.found = {evidence_of(pin)};
    for (const RecipeIndex* index : indexes) finding.found.push_back({"index", index->url, index->origin});
    finding.expected = {{"index", of_pytorch ? index_of_build(build) : "one that has this build", {}}};
    finding.because = other
                          ? "that index has builds for another CUDA only, and PyPI has no local versions"
                          : "PyPI has no local versions ('+" + build + "')" +
                                std::string(whole ? "" : "; an index on the command line is not known here");
    if (pin.package == "jaxlib")
        finding.fix = {{FixKind::edit, std::string("--find-links ") + k_jax_page}};
    else if (of_pytorch)
        finding.fix = {{FixKind::edit, "--extra-index-url " + index_of_build(build)}};
    else
        finding.fix = {{FixKind::manual, "name the index or page that has this build, or pin " + pin.package +
                                             "==" + pin.version->without_local()}};
    return true;
}

bool asks_for_cuda(const RecipePin& pin) {
    return pin.package == "jaxlib" || any_of(pin.extras, [](const std::string& extra) {
               return extra == "cuda" || extra.compare(0, 6, "cuda11") == 0 || extra == "cuda12-pip";
           });
}

// `page`: the one that the command names, without CUDA's builds. `jaxlib`: the requirement with a local
// version. One of them is given.
void report_jax(const RecipeFacts& recipe, const RecipePin& pin, const RecipeIndex* page,
                const Requirement* jaxlib, Findings& findings) {
    const bool certain = jaxlib && (page || recipe.kind != "requirements file");
    Finding& finding =
        add(findings, "CC614", certain ? Level::error : Level::warning, text_of(pin),
            jaxlib ? text_of(pin) + " requires jaxlib" + jaxlib->specifier + ", which " +
                         (page ? page->url + " does not have" : "PyPI does not have")
                   : page->url + " has no builds of jaxlib for CUDA, which " + text_of(pin) + " asks for");
    finding.found = {evidence_of(pin)};
    if (page) finding.found.push_back({"page", page->url, page->origin});
    finding.expected = {{"page", k_jax_page, {}}};
    finding.because = jaxlib
                          ? "PyPI has no local versions ('+cuda11.cudnn86')"
                          : "the builds of jaxlib for CUDA are on another page; newer releases of jax take "
                            "packages from PyPI and need none";
    finding.fix = {{FixKind::edit, std::string("--find-links ") + k_jax_page}};
}

// jax[cuda11_pip]==0.4.13 requires jaxlib==0.4.13+cuda11.cudnn86, which only one page has.
void judge_jax(const Scenario& scenario, const Facts& facts, Findings& findings) {
    for (const RecipePin& pin : scenario.recipe.pins) {
        const bool local =
            pin.package == "jaxlib" && pin.version && pin.version->local().compare(0, 4, "cuda") == 0;
        const bool by_extra = pin.package == "jax" && !pin.extras.empty() && !pin.no_deps;
        if (!pin.by_pip() || !(local || by_extra)) continue;
        const RecipeIndex* page = nullptr;
        bool other = false;
        for (const RecipeIndex* index : indexes_of(scenario.recipe, pin)) {
            if (index->url.find("jax_releases.html") != std::string::npos)
                page = index;
            else
                other = other || !index->is_pypi();
        }
        if (other) continue;
        const Requirement* jaxlib = by_extra && pin.version
                                        ? requirement_on(facts, "jax", *pin.version, "jaxlib", pin.extras)
                                        : nullptr;
        const bool pinned = jaxlib && jaxlib->specifier.find("+cuda") != std::string::npos;
        // Without a local version a plugin has the code.
        if (pinned || (page && !jaxlib && asks_for_cuda(pin)))
            report_jax(scenario.recipe, pin, page, pinned ? jaxlib : nullptr, findings);
    }
}

// .../whl/torch-2.0.0+cu121.html: a page of wheels for a build of torch that was never released.
void judge_page(const RecipeIndex& index, const Facts& facts, Findings& findings) {
    const auto torch = index.use == IndexUse::links ? torch_of_page(index.url) : std::nullopt;
    if (!torch || !cuda_of_tag(index.build)) return;
    const auto release = torch->numbers.size() > 2 ? torch : parse_version(torch->release() + ".0");
    if (!release || published_build(facts, "torch", *release, index.build) != Published::no) return;
    const FrameworkRelease* row = facts.framework_release("torch", *release);
    if (!row || row->variants.empty()) return;
    Finding& finding = add(findings, "CC614", Level::warning, index.url,
                           "there are no wheels at " + index.url + ": torch " + torch->text + " has no " +
                               index.build + " build");
    finding.found = {{"page", index.url, index.origin}};
    finding.expected = {{"builds of torch " + torch->text, list(row->variants), row->origin}};
    finding.because =
        "such pages have wheels for builds of torch that exist; pip compiles the packages instead";
    finding.fix = {{FixKind::manual, "use the page of the installed torch and its CUDA"}};
}

// The newest CUDA build; "cpu" is listed last.
std::string newest_tag(const std::vector<std::string>& variants) {
    std::string newest;
    for (const std::string& variant : variants)
        if (cuda_of_tag(variant)) newest = variant;
    return newest;
}

// An index for one CUDA without that release: PyPI's build is installed.
bool judge_plain(const Scenario& scenario, const Facts& facts, const RecipePin& pin, Findings& findings) {
    const FrameworkRelease* release = facts.framework_release("torch", *pin.version);
    if (!release || release->variants.empty() || pin.by != "pip") return false;
    for (const RecipeIndex* index : indexes_of(scenario.recipe, pin)) {
        if (!cuda_of_tag(index->build) || index->use == IndexUse::only || !is_pytorch_page(*index)) continue;
        const auto& variants = release->variants;
        if (published_build(facts, "torch", *pin.version, index->build) != Published::no) return false;
        Finding& finding =
            add(findings, "CC614", Level::warning, index->url,
                "there is no " + index->build + " build of " + text_of(pin) + ": pip takes PyPI's" +
                    (release->cuda ? ", with CUDA " + release->cuda->release() : ""));
        finding.found = {{"index", index->url, index->origin}, evidence_of(pin)};
        finding.expected = {{"index", list(variants), release->origin}};
        finding.because = "pip searches all indexes, and takes what another one has";
        finding.fix = {{FixKind::edit, "--index-url " + index_of_build(newest_tag(variants))}};
        return true;
    }
    return false;
}

// The newest release that the range accepts and whose builds are known.
const FrameworkRelease* newest_accepted(const Facts& facts, const RecipePin& pin) {
    const FrameworkRelease* newest = nullptr;
    for (const Version& version : facts.framework_releases("torch")) {
        const FrameworkRelease* release = facts.framework_release("torch", version);
        if (release && !release->variants.empty() && accepts(pin.specifier, version)) newest = release;
    }
    return newest;
}

// The release that a package beside it decides: it accepts none of the newest.
const Installed* chosen_by_others(const RecipeFacts& recipe, const RecipePin& pin, const Facts& facts) {
    const FrameworkRelease* newest = newest_accepted(facts, pin);
    const auto refuses_newest = [&](const RecipePin& other) {
        const Requirement* required =
            other.group == pin.group && other.version && !other.no_deps
                ? requirement_on(facts, other.package, *other.version, pin.package, other.extras)
                : nullptr;
        return required && newest && !accepts(required->specifier, newest->version);
    };
    if (none_of(recipe.pins, refuses_newest)) return nullptr;
    for (const Installed& one : recipe.installed)
        if (one.package == pin.package && one.group == pin.group && one.newest) return &one;
    return nullptr;
}

// xformers==0.0.29.post2 beside torch and an index: xformers decides the release, which the index may lack.
bool judge_chosen(const RecipeFacts& recipe, const Installed& torch, const RecipePin& pin, const Facts& facts,
                  Findings& findings) {
    if (!torch.build.empty() || !torch.cuda) return false;
    for (const RecipeIndex* index : indexes_of(recipe, pin)) {
        const auto cuda = cuda_of_tag(index->build);
        if (!cuda || index->use == IndexUse::only || !is_pytorch_page(*index) ||
            same_release(*cuda, *torch.cuda) ||
            published_build(facts, "torch", *torch.version, index->build) != Published::no)
            continue;
        Finding& finding = add(findings, "CC614", Level::warning, index->url,
                               index->url + " has no torch " + torch.version->text +
                                   ", which the packages beside it require: pip takes PyPI's, for CUDA " +
                                   torch.cuda->release());
        finding.found = {{"index", index->url, index->origin}, evidence_of(pin)};
        finding.expected = {{"CUDA", cuda->release(), index->origin}};
        finding.because = "pip takes the newest release that all packages of the command accept";
        finding.fix = {
            {FixKind::manual, "take the packages beside it in releases for a torch that the index has"}};
        return true;
    }
    return false;
}

// The newest release of an index is older than PyPI's newest, or not in the range: torch comes from PyPI.
// Only if the index is known to lack a later release; the builds of the newest may not be known yet.
bool judge_floating(const Scenario& scenario, const Facts& facts, const RecipePin& pin, Findings& findings) {
    if (pin.by != "pip") return false;
    if (const Installed* chosen = chosen_by_others(scenario.recipe, pin, facts))
        return judge_chosen(scenario.recipe, *chosen, pin, facts, findings);
    for (const RecipeIndex* index : indexes_of(scenario.recipe, pin)) {
        if (!cuda_of_tag(index->build) || index->use == IndexUse::only || !is_pytorch_page(*index)) continue;
        const FrameworkRelease* taken = newest_accepted(facts, pin);
        const auto of_index = newest_with_build(facts, "torch", pin.specifier, index->build);
        if (!taken || (of_index && *of_index == taken->version)) return false;
        if (!of_index && published_build(facts, "torch", taken->version, index->build) != Published::no)
            return false;
        const FrameworkRelease& wanted = of_index ? *facts.framework_release("torch", *of_index) : *taken;
        const std::string build = of_index ? index->build : newest_tag(taken->variants);
        const std::string text = "torch==" + wanted.version.text + "+" + build;
        Finding& finding =
            add(findings, "CC614", Level::warning, index->url,
                of_index ? index->url + " ends with torch " + of_index->text +
                               ": pip takes a newer one from PyPI, for another CUDA"
                         : index->url + " has no release of " + text_of(pin) + ": pip takes PyPI's" +
                               (taken->cuda ? ", with CUDA " + taken->cuda->release() : ""));
        finding.found = {{"index", index->url, index->origin}, evidence_of(pin)};
        finding.expected = {{"pin", text, wanted.origin}};
        finding.because = "pip takes the newest release of all indexes";
        finding.fix = {{FixKind::edit, text},
                       {FixKind::edit, "--index-url " + (of_index ? index->url : index_of_build(build))}};
        return true;
    }
    return false;
}

// A channel of pre-releases for one CUDA, and a newest release on PyPI for another: by PEP 440
// 0.20.2rc1.dev233 is older than 0.20.2, so PyPI's is installed once the release is out.
void judge_channel(const Scenario& scenario, const Facts& facts, Findings& findings) {
    for (const Companion* each : companions_of(facts, "torch")) {
        const Companion& row = *each;
        if (row.wheels.empty() || !row.wheels.back().cuda) continue;
        const CompanionWheel& newest = row.wheels.back();
        for (const RecipePin& pin : scenario.recipe.pins) {
            if (pin.package != row.package || !pin.by_pip() || pin.first_index || !pin.specifier.empty())
                continue;
            for (const RecipeIndex* index : indexes_of(scenario.recipe, pin)) {
                const auto cuda = cuda_of_tag(index->build);
                const bool channel =
                    index->url.find("nightly") != std::string::npos && !is_pytorch_page(*index);
                if (!cuda || !channel || index->use == IndexUse::only || cuda->major() == newest.cuda)
                    continue;
                Finding& finding =
                    add(findings, "CC614", Level::warning, index->url,
                        pin.package + " may come from PyPI, for CUDA " + std::to_string(newest.cuda) +
                            ": the pre-releases of " + index->url + " are older than their release");
                finding.found = {{"index", index->url, index->origin}, evidence_of(pin)};
                finding.expected = {{pin.package, "CUDA " + cuda->release(), index->origin}};
                finding.found.push_back({"newest on PyPI", newest.version.text, row.origin});
                finding.because =
                    "the highest version of all indexes is taken, and by PEP 440 a release is newer than "
                    "its pre-releases";
                finding.fix = {{FixKind::manual,
                                "pin a version of that index, or use uv without "
                                "--index-strategy unsafe-best-match"}};
            }
        }
    }
}

// `pip install vllm` after a torch of another command's index: the newest vllm requires one release of torch,
// which comes from PyPI.
void judge_replaced_build(const RecipeFacts& recipe, Findings& findings) {
    for (const Replaced& one : recipe.replaced) {
        const Installed &before = one.before, &after = one.after;
        const RecipeIndex* index = index_replaced(recipe, one);
        if (!index) continue;
        const std::string by = with_newest(recipe, after.required_by);
        Finding& finding = add(findings, "CC614", Level::warning, index->url,
                               by + " replaces the torch of " + index->url + ": it requires torch " +
                                   after.version->text + ", and PyPI's is for CUDA " + after.cuda->release());
        finding.found = {{"package", after.required_by, after.asked}, {"index", index->url, index->origin}};
        finding.expected = {{"CUDA", cuda_of_tag(before.build)->release(), index->origin}};
        finding.because = by == after.required_by
                              ? "pip replaces what is there by what a package requires"
                              : "a package without a version is taken in its newest release, with the torch "
                                "that it requires";
        finding.fix = {{FixKind::manual,
                        "pin the release of that package that requires this torch, or install both "
                        "in one command with --extra-index-url " +
                            index->url}};
    }
}

// `pip install vllm --extra-index-url .../cu128`: that index has no torch of the release that vllm requires.
void judge_brought(const RecipeFacts& recipe, const Facts& facts, Findings& findings) {
    const Installed* torch = newest_of(recipe, "torch");
    if (!torch || torch->required_by.empty() || !torch->build.empty() || !torch->cuda) return;
    for (const RecipeIndex& index : recipe.indexes) {
        if (index.group != torch->group || index.use != IndexUse::extra || !is_pytorch_page(index)) continue;
        const auto cuda = cuda_of_tag(index.build);
        if (!cuda || same_release(*cuda, *torch->cuda) ||
            published_build(facts, "torch", *torch->version, index.build) != Published::no)
            continue;
        Finding& finding = add(findings, "CC614", Level::warning, index.url,
                               index.url + " has no torch " + torch->version->text + ", which " +
                                   with_newest(recipe, torch->required_by) +
                                   " requires: pip takes PyPI's, for CUDA " + torch->cuda->release());
        finding.found = {{"index", index.url, index.origin}, {"package", torch->required_by, torch->asked}};
        finding.expected = {{"CUDA", cuda->release(), index.origin}};
        finding.because = "pip searches all indexes, and takes what another one has";
        finding.fix = {{FixKind::manual, "pin a release of that package whose torch the index has"}};
    }
}

// cudatoolkit selected the build of PyTorch up to 1.12 on the channel pytorch; since 1.13 pytorch-cuda does.
void judge_cudatoolkit(const Scenario& scenario, Findings& findings) {
    const CondaTorch here = conda_torch(scenario.recipe);
    const RecipePin *const torch = here.torch, *const toolkit = here.cudatoolkit;
    if (!torch || !toolkit || here.pytorch_cuda || here.forge || !torch->version) return;
    if (*torch->version < *parse_version("1.13") || torch->build.find("cu") != std::string::npos) return;
    if (conda_pin(scenario.recipe, "cuda-version")) return;
    Finding& finding = add(findings, "CC614", Level::warning, text_of(*toolkit),
                           text_of(*toolkit) + " does not choose the CUDA of " + text_of(*torch));
    finding.found = {evidence_of(*toolkit), evidence_of(*torch)};
    finding.expected = {
        {"conda", "pytorch-cuda=" + (toolkit->version ? toolkit->version->release() : "11.8"), {}}};
    finding.because =
        "since 1.13 the channel pytorch chooses the build by pytorch-cuda, and without it the one for CPUs "
        "fits as well";
    finding.fix = {
        {FixKind::edit, "pytorch-cuda=" + (toolkit->version ? toolkit->version->release() : "11.8")}};
}

}  // namespace

PTXGUARD_RULE(CC614) {
    if (!is_recipe(scenario)) return;
    // No index has CUDA for Macs.
    if (scenario.recipe.platform && starts_with(*scenario.recipe.platform, "macOS")) return;
    std::vector<int> said;  // groups: one index is missing for all pins of a command
    for (const RecipePin& pin : scenario.recipe.pins) {
        const bool local = pin.version && !pin.version->local().empty();
        // poetry and pdm search the same indexes, in another order.
        const bool searched = pin.by_pip() || (local && pin.is_from_pypi());
        if (!searched || (!is_torch_family(pin) && !local)) continue;
        if (contains(said, pin.group)) continue;
        const bool torch = pin.package == "torch" && !is_met_before(scenario.recipe, pin);
        const bool fired = local         ? judge_local(scenario, facts, pin, findings)
                           : !torch      ? false
                           : pin.version ? judge_plain(scenario, facts, pin, findings)
                                         : judge_floating(scenario, facts, pin, findings);
        if (fired) said.push_back(pin.group);
    }
    for (const RecipeIndex& index : scenario.recipe.indexes) judge_page(index, facts, findings);
    judge_ignored(scenario, said, findings);
    judge_ignored_source(scenario, findings);
    judge_jax(scenario, facts, findings);
    judge_cudatoolkit(scenario, findings);
    judge_channel(scenario, facts, findings);
    judge_replaced_build(scenario.recipe, findings);
    judge_brought(scenario.recipe, facts, findings);
}

}  // namespace ptxguard
