// A CUDA build is asked for that the given indexes do not have, or an index is given from which nothing
// comes.
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "facts/libraries.hpp"
#include "facts/variants.hpp"
#include "judge/framework_questions.hpp"
#include "judge/recipe_questions.hpp"

namespace ptxguard {
namespace {

bool is_pytorch_page(const RecipeIndex& index) { return index.url.find("pytorch") != std::string::npos; }

bool is_torch_family(const RecipePin& pin) {
    for (const char* name : {"torch", "torchvision", "torchaudio", "torchtext"})
        if (pin.package == name) return true;
    return false;
}

// torch==2.1.0+cu121 where nothing but PyPI is searched: PyPI has no local versions.
bool judge_local(const Scenario& scenario, const Facts& facts, const RecipePin& pin, Findings& findings) {
    const std::string build = pin.version->local();
    if (!cuda_of_variant(build)) return false;
    if (published_build(facts, pin.package, *pin.version, build) == Published::no) return false;  // CC603
    const auto indexes = indexes_of(scenario.recipe, pin);
    if (may_serve(indexes, build)) return false;
    const bool whole = scenario.recipe.kind != "requirements file";
    const bool other = std::any_of(indexes.begin(), indexes.end(),
                                   [](const RecipeIndex* index) { return !index->build.empty(); });
    Finding& finding = add(findings, "CC614", whole || other ? Level::error : Level::warning, text_of(pin),
                           text_of(pin) + " is in none of the indexes that " + pin.by + " searches");
    finding.found = {evidence_of(pin)};
    for (const RecipeIndex* index : indexes) finding.found.push_back({"index", index->url, index->origin});
    finding.expected = {{"index", index_of_build(build), {}}};
    finding.because = other
                          ? "that index has builds for another CUDA only, and PyPI has no local versions"
                          : "PyPI has no local versions ('+" + build + "')" +
                                std::string(whole ? "" : "; an index on the command line is not known here");
    finding.fix = {{FixKind::edit, "--extra-index-url " + index_of_build(build)}};
    return true;
}

// The newest CUDA build; "cpu" is listed last.
std::string newest_tag(const std::vector<std::string>& variants) {
    std::string newest;
    for (const std::string& variant : variants)
        if (cuda_of_variant(variant)) newest = variant;
    return newest;
}

// An index for one CUDA that has no such release: PyPI's build is taken.
bool judge_plain(const Scenario& scenario, const Facts& facts, const RecipePin& pin, Findings& findings) {
    const FrameworkRelease* release = facts.framework_release("torch", *pin.version);
    if (!release || release->variants.empty() || pin.by != "pip") return false;
    for (const RecipeIndex* index : indexes_of(scenario.recipe, pin)) {
        if (!cuda_of_variant(index->build) || index->use == IndexUse::only || !is_pytorch_page(*index))
            continue;
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

// The newest release that an index has is older than PyPI's newest: an unpinned torch comes from PyPI. Only
// where a later release is known to leave the index out; of the newest the builds may not be known yet.
bool judge_floating(const Scenario& scenario, const Facts& facts, const RecipePin& pin, Findings& findings) {
    if (pin.by != "pip" || !pin.specifier.empty()) return false;
    const auto releases = facts.framework_releases("torch");
    for (const RecipeIndex* index : indexes_of(scenario.recipe, pin)) {
        if (!cuda_of_variant(index->build) || index->use == IndexUse::only || !is_pytorch_page(*index))
            continue;
        std::optional<Version> newest, known;
        Origin table;
        for (const Version& version : releases) {
            const FrameworkRelease* release = facts.framework_release("torch", version);
            if (!release || release->variants.empty()) continue;
            known = version;
            const auto& all = release->variants;
            if (std::find(all.begin(), all.end(), index->build) != all.end())
                newest = version, table = release->origin;
        }
        if (!newest || *newest == *known) return false;
        Finding& finding = add(findings, "CC614", Level::warning, index->url,
                               index->url + " ends with torch " + newest->text +
                                   ": pip takes a newer one from PyPI, for another CUDA");
        finding.found = {{"index", index->url, index->origin}, evidence_of(pin)};
        finding.expected = {{"pin", "torch==" + newest->text + "+" + index->build, table}};
        finding.because = "pip takes the newest release of all indexes";
        finding.fix = {{FixKind::edit, "torch==" + newest->text + "+" + index->build},
                       {FixKind::edit, "--index-url " + index->url}};
        return true;
    }
    return false;
}

// A channel of pre-releases for one CUDA, and a newest release on PyPI for another: by PEP 440
// 0.20.2rc1.dev233 is older than 0.20.2, so that PyPI's is taken once the release is out.
void judge_channel(const Scenario& scenario, const Facts& facts, Findings& findings) {
    for (const Companion* each : companions_of(facts, "torch")) {
        const Companion& row = *each;
        if (row.wheels.empty() || !row.wheels.back().cuda) continue;
        const CompanionWheel& newest = row.wheels.back();
        for (const RecipePin& pin : scenario.recipe.pins) {
            if (pin.package != row.package || !pin.by_pip() || pin.first_index || !pin.specifier.empty())
                continue;
            for (const RecipeIndex* index : indexes_of(scenario.recipe, pin)) {
                const auto cuda = cuda_of_variant(index->build);
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

// cudatoolkit chose the build of PyTorch up to 1.12 on the channel pytorch; since 1.13 pytorch-cuda does.
void judge_cudatoolkit(const Scenario& scenario, Findings& findings) {
    const RecipePin *torch = nullptr, *toolkit = nullptr, *selector = nullptr;
    for (const RecipePin& pin : scenario.recipe.pins) {
        if (pin.by != "conda") continue;
        if (pin.package == "pytorch") torch = &pin;
        if (pin.package == "cudatoolkit") toolkit = &pin;
        if (pin.package == "pytorch-cuda" || pin.package == "cuda-version") selector = &pin;
    }
    if (!torch || !toolkit || selector || !torch->version || *torch->version < *parse_version("1.13")) return;
    if (torch->build.find("cu") != std::string::npos) return;
    for (const RecipeIndex* index : indexes_of(scenario.recipe, *torch))
        if (index->url.find("conda-forge") != std::string::npos) return;
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
    std::vector<int> said;  // groups: one index is missing for all pins of a command
    for (const RecipePin& pin : scenario.recipe.pins) {
        if (!pin.by_pip() || !is_torch_family(pin)) continue;
        if (std::find(said.begin(), said.end(), pin.group) != said.end()) continue;
        const bool local = pin.version && !pin.version->local().empty();
        const bool torch = pin.package == "torch";
        const bool fired = local         ? judge_local(scenario, facts, pin, findings)
                           : !torch      ? false
                           : pin.version ? judge_plain(scenario, facts, pin, findings)
                                         : judge_floating(scenario, facts, pin, findings);
        if (fired) said.push_back(pin.group);
    }
    judge_cudatoolkit(scenario, findings);
    judge_channel(scenario, facts, findings);
}

}  // namespace ptxguard
