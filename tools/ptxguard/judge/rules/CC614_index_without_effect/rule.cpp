// The given indexes do not have the requested CUDA build, or a given index provides nothing.
// SPDX-License-Identifier: Apache-2.0
#include <set>

#include "facts/libraries.hpp"
#include "facts/pypi.hpp"
#include "facts/variants.hpp"
#include "judge/framework_questions.hpp"
#include "judge/recipe_questions.hpp"
#include "judge/replaced_questions.hpp"
#include "judge/rules/CC614_index_without_effect/parts.hpp"
#include "model/ranges.hpp"
#include "python/specifier.hpp"

namespace ptxguard {
namespace {

bool is_pytorch_page(const RecipeIndex& index) { return index.url.find("pytorch") != npos; }

// One of PyTorch's indexes for one CUDA, beside which pip searches PyPI.
bool is_beside_pypi(const RecipeIndex& index) {
    return cuda_of_tag(index.build) && index.use != IndexUse::only && is_pytorch_page(index);
}

// It lacks this torch, and PyPI's build of it is for another CUDA.
bool lacks_torch(const RecipeIndex& index, const Installed& torch, const Facts& facts) {
    return is_beside_pypi(index) && torch.build.empty() && torch.cuda &&
           !same_release(*cuda_of_tag(index.build), *torch.cuda) &&
           published_build(facts, "torch", *torch.version, index.build) == Published::no;
}

bool is_torch_family(const RecipePin& pin) {
    static const std::set<std::string> k_family{"torch", "torchvision", "torchaudio", "torchtext"};
    return k_family.count(pin.package) != 0;
}

// PyTorch Geometric's are "pt20cu118".
bool is_of_index(const std::string& local) {
    return is_build_tag(local) || (starts_with(local, "pt") && local.find("cu") != npos);
}

bool came_before(const Installed& one, const RecipePin& pin) {
    return one.package == pin.package && one.version && (one.of_image || one.group < pin.group);
}

// An earlier command, or the image, has brought that build.
bool is_there_before(const RecipeFacts& recipe, const RecipePin& pin) {
    return !pin.upgrade && any_of(recipe.installed, [&](const Installed& one) {
        return came_before(one, pin) && one.build == pin.version->local() &&
               one.version->without_local() == pin.version->without_local();
    });
}

// pip installs nothing where what the image or an earlier command has brought meets the requirement.
bool is_met_before(const RecipeFacts& recipe, const RecipePin& pin) {
    return !pin.upgrade && any_of(recipe.installed, [&](const Installed& one) {
        return came_before(one, pin) &&
               (pin.version ? one.version->without_local() == pin.version->without_local()
                            : accepts(pin.specifier, *one.version));
    });
}

// CC603 reports it: the build was never released, under another version only, or a nightly build is gone.
bool is_gone(const RecipeFacts& recipe, const RecipePin& pin, const Facts& facts) {
    const std::string build = pin.version->local();
    return (cuda_of_tag(build) &&
            published_build(facts, pin.package, *pin.version, build) == Published::no) ||
           any_of(recipe.refused, [&](const RefusedPin& one) {
               return (one.why == Refusal::no_release || one.why == Refusal::no_local) &&
                      one.origin.is_at(pin.origin);
           });
}

Fix index_fix(const RecipePin& pin) {
    if (pin.package == "jaxlib") return {FixKind::edit, SAY("--find-links {}", k_jax_page)};
    if (is_torch_family(pin))
        return {FixKind::edit, SAY("--extra-index-url {}", index_of_build(pin.version->local()))};
    return by_hand(SAY("name the index or page that has this build, or pin {}=={}", pin.package,
                       pin.version->without_local()));
}

void report_local(const RecipeFacts& recipe, const RecipePin& pin, Findings& findings) {
    const auto indexes = indexes_of(recipe, pin);
    // Who installs the requirements of a file may name an index; those of a package can only be installed so.
    const bool metadata = recipe.kind == "setup.py" || (recipe.kind == "pyproject.toml" && pin.by == "pip");
    const bool whole = recipe.kind != "requirements file" && !metadata;
    const bool other = any_of(indexes, [](const RecipeIndex* index) { return !index->build.empty(); });
    const std::string build = pin.version->local();
    Composed finding =
        add(findings, "CC614",
            whole || other ? Level::error
            : metadata     ? Level::note
                           : Level::warning,
            pin, SAY("{} is in none of the indexes that {} searches", text_of(pin), pin.by))
            .expected("index", is_torch_family(pin) ? index_of_build(build) : "one that has this build", {})
            .because(other   ? "that index has builds for another CUDA only, and PyPI has no local versions"
                     : whole ? SAY("PyPI has no local versions ('+{}')", build)
                             : SAY("PyPI has no local versions ('+{}'); an index on the command line is not "
                                   "known here",
                                   build))
            .fix(index_fix(pin));
    for (const RecipeIndex* index : indexes) finding.found("index", index->url, index->origin);
}

// torch==2.1.0+cu121 if only PyPI is searched: PyPI has no local versions.
bool judge_local(const RecipeFacts& recipe, const Facts& facts, const RecipePin& pin, Findings& findings) {
    const std::string build = pin.version->local();
    const auto indexes = indexes_of(recipe, pin);
    const bool may_be_there = !is_of_index(build) || !pin.wheel.empty() || pin.open ||
                              is_there_before(recipe, pin) || may_serve(indexes, build) ||
                              (!is_torch_family(pin) && !indexes.empty());
    if (may_be_there || is_gone(recipe, pin, facts)) return false;
    report_local(recipe, pin, findings);
    return true;
}

// .../whl/torch-2.0.0+cu121.html: a page of wheels for a build of torch that was never released.
void judge_page(const RecipeIndex& index, const Facts& facts, Findings& findings) {
    const auto torch = index.use == IndexUse::links ? torch_of_page(index.url) : std::nullopt;
    if (!torch || !cuda_of_tag(index.build)) return;
    const auto release = torch->numbers.size() > 2 ? torch : parse_version(SAY("{}.0", torch->release()));
    if (!release || published_build(facts, "torch", *release, index.build) != Published::no) return;
    const FrameworkRelease* row = facts.framework_release("torch", *release);
    if (!row || row->variants.empty()) return;
    add(findings, "CC614", Level::warning, index.url,
        SAY("there are no wheels at {}: torch {} has no {} build", index.url, torch->text, index.build))
        .found("page", index.url, index.origin)
        .expected(SAY("builds of torch {}", torch->text), list(row->variants), row->origin)
        .because("such pages have wheels for builds of torch that exist; pip compiles the packages instead")
        .by_hand("use the page of the installed torch and its CUDA");
}

// The newest CUDA build, or "".
std::string newest_tag(const FrameworkRelease& release) {
    const std::vector<std::string> tags = cuda_tags(release);
    return tags.empty() ? "" : tags.back();
}

// What pip takes instead of an index's build.
std::string pypis_build(const FrameworkRelease& release) {
    return release.cuda ? SAY("pip takes PyPI's, with CUDA {}", release.cuda->release()) : "pip takes PyPI's";
}

// An index for one CUDA without that release: PyPI's build is installed.
bool judge_plain(const RecipeFacts& recipe, const Facts& facts, const RecipePin& pin, Findings& findings) {
    const FrameworkRelease* release = facts.framework_release("torch", *pin.version);
    if (!release || release->variants.empty() || pin.by != "pip") return false;
    for (const RecipeIndex* index : indexes_of(recipe, pin)) {
        if (!is_beside_pypi(*index)) continue;
        if (published_build(facts, "torch", *pin.version, index->build) != Published::no) return false;
        add(findings, "CC614", Level::warning, index->url,
            SAY("there is no {} build of {}: {}", index->build, text_of(pin), pypis_build(*release)))
            .found("index", index->url, index->origin)
            .found(evidence_of(pin))
            .expected("index", list(release->variants), release->origin)
            .because("pip searches all indexes, and takes what another one has")
            .edit(SAY("--index-url {}", index_of_build(newest_tag(*release))));
        return true;
    }
    return false;
}

// The release that a package beside it decides: it accepts none of the newest.
const Installed* chosen_by_others(const RecipeFacts& recipe, const RecipePin& pin, const Facts& facts) {
    const FrameworkRelease* newest = newest_with_builds(facts, "torch", pin.specifier);
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
    for (const RecipeIndex* index : indexes_of(recipe, pin)) {
        if (!lacks_torch(*index, torch, facts)) continue;
        add(findings, "CC614", Level::warning, index->url,
            SAY("{} has no torch {}, which the packages beside it require: pip takes PyPI's, for CUDA {}",
                index->url, torch.version->text, torch.cuda->release()))
            .found("index", index->url, index->origin)
            .found(evidence_of(pin))
            .expected("CUDA", cuda_of_tag(index->build)->release(), index->origin)
            .because("pip takes the newest release that all packages of the command accept")
            .by_hand("take the packages beside it in releases for a torch that the index has");
        return true;
    }
    return false;
}

void report_newest_of_index(const RecipeIndex& index, const FrameworkRelease& wanted,
                            const std::string& build, const std::string& message, const RecipePin& pin,
                            Findings& findings) {
    const std::string text = SAY("torch=={}+{}", wanted.version.text, build);
    add(findings, "CC614", Level::warning, index.url, message)
        .found("index", index.url, index.origin)
        .found(evidence_of(pin))
        .expected("pin", text, wanted.origin)
        .because("pip takes the newest release of all indexes")
        .edit(text)
        .edit(SAY("--index-url {}", build == index.build ? index.url : index_of_build(build)));
}

// The newest release of an index is older than PyPI's newest, or not in the range: torch comes from PyPI.
// Only if the index is known to lack a later release; the builds of the newest may not be known yet.
bool judge_floating(const RecipeFacts& recipe, const Facts& facts, const RecipePin& pin, Findings& findings) {
    if (pin.by != "pip") return false;
    if (const Installed* chosen = chosen_by_others(recipe, pin, facts))
        return judge_chosen(recipe, *chosen, pin, facts, findings);
    const RecipeIndex* index = nullptr;
    for (const RecipeIndex* one : indexes_of(recipe, pin))
        if (!index && is_beside_pypi(*one)) index = one;
    const FrameworkRelease* taken = newest_with_builds(facts, "torch", pin.specifier);
    if (!index || !taken) return false;
    const auto of_index = newest_with_build(facts, "torch", pin.specifier, index->build);
    if (of_index ? *of_index == taken->version
                 : published_build(facts, "torch", taken->version, index->build) != Published::no)
        return false;
    if (of_index)
        report_newest_of_index(*index, *facts.framework_release("torch", *of_index), index->build,
                               SAY("{} ends with torch {}: pip takes a newer one from PyPI, for another CUDA",
                                   index->url, of_index->text),
                               pin, findings);
    else
        report_newest_of_index(
            *index, *taken, newest_tag(*taken),
            SAY("{} has no release of {}: {}", index->url, text_of(pin), pypis_build(*taken)), pin, findings);
    return true;
}

// A server of pre-releases for another CUDA than that of the newest release on PyPI.
bool is_other_channel(const RecipeIndex& index, int newest_cuda) {
    const auto cuda = cuda_of_tag(index.build);
    return cuda && index.url.find("nightly") != npos && !is_pytorch_page(index) &&
           index.use != IndexUse::only && cuda->major() != newest_cuda;
}

// A channel of pre-releases for one CUDA, and a newest release on PyPI for another: by PEP 440
// 0.20.2rc1.dev233 is older than 0.20.2, so PyPI's is installed once the release is out.
void judge_channel(const RecipeFacts& recipe, const RecipePin& pin, const Companion& row,
                   Findings& findings) {
    const CompanionWheel& newest = row.wheels.back();
    if (pin.package != row.package || !pin.by_pip() || pin.first_index || !pin.specifier.empty()) return;
    for (const RecipeIndex* index : indexes_of(recipe, pin))
        if (is_other_channel(*index, newest.cuda))
            add(findings, "CC614", Level::warning, index->url,
                SAY("{} may come from PyPI, for CUDA {}: the pre-releases of {} are older than their release",
                    pin.package, newest.cuda, index->url))
                .found("index", index->url, index->origin)
                .found(evidence_of(pin))
                .found("newest on PyPI", newest.version.text, row.origin)
                .expected(pin.package, SAY("CUDA {}", cuda_of_tag(index->build)->release()), index->origin)
                .because(
                    "the highest version of all indexes is taken, and by PEP 440 a release is newer than its "
                    "pre-releases")
                .by_hand("pin a version of that index, or use uv without --index-strategy unsafe-best-match");
}

// `pip install vllm` after a torch of another command's index: the newest vllm requires one release of torch,
// which comes from PyPI.
void judge_replaced_build(const RecipeFacts& recipe, const Facts& facts, Findings& findings) {
    for (const Replaced& one : recipe.replaced) {
        const Installed &before = one.before, &after = one.after;
        const RecipeIndex* index = index_replaced(recipe, one);
        if (!index) continue;
        const std::string by = with_newest(recipe, after.required_by);
        // A branch of a script that chooses this index has chosen it for what all branches install after it.
        Origin chosen = index->origin;
        if (!after.asked.overridable) chosen.overridable = false;
        const Composed finding =
            add(findings, "CC614", Level::warning, index->url,
                SAY("{} replaces the torch of {}: it requires torch {}, and PyPI's is for CUDA {}", by,
                    index->url, after.version->text, after.cuda->release()))
                .found("package", after.required_by, after.asked)
                .found("index", index->url, chosen)
                .expected("CUDA", cuda_of_tag(before.build)->release(), chosen)
                .because(by == after.required_by
                             ? "pip replaces what is there by what a package requires"
                             : "a package without a version is taken in its newest release, "
                               "with the torch that it requires")
                .by_hand(
                    SAY("pin the release of that package that requires this torch, or install both in one "
                        "command with --extra-index-url {}",
                        index->url));
        for (const Evidence& package : left_behind(recipe, one, facts)) finding.found(package);
    }
}

// `pip install vllm --extra-index-url .../cu128`: that index has no torch of the release that vllm requires.
void judge_brought(const RecipeFacts& recipe, const Facts& facts, Findings& findings) {
    const Installed* torch = newest_of(recipe, "torch");
    if (!torch || torch->required_by.empty()) return;
    for (const RecipeIndex& index : recipe.indexes) {
        if (index.group != torch->group || index.use != IndexUse::extra || !lacks_torch(index, *torch, facts))
            continue;
        add(findings, "CC614", Level::warning, index.url,
            SAY("{} has no torch {}, which {} requires: pip takes PyPI's, for CUDA {}", index.url,
                torch->version->text, with_newest(recipe, torch->required_by), torch->cuda->release()))
            .found("index", index.url, index.origin)
            .found("package", torch->required_by, torch->asked)
            .expected("CUDA", cuda_of_tag(index.build)->release(), index.origin)
            .because("pip searches all indexes, and takes what another one has")
            .by_hand("pin a release of that package whose torch the index has");
    }
}

// cudatoolkit selected the build of PyTorch up to 1.12 on the channel pytorch; since 1.13 pytorch-cuda does.
void judge_selector(const RecipeFacts& recipe, Findings& findings) {
    const CondaTorch here = conda_torch(recipe);
    const RecipePin* const torch = here.torch;
    const bool of_forge = here.forge && !here.own_first;
    if (!torch || of_forge || !torch->version || torch->build.find("cu") != npos) return;
    const bool old = *torch->version < *parse_version("1.13");
    const RecipePin *const other = old ? here.pytorch_cuda : here.cudatoolkit, *const own =
                                                                                   old ? here.cudatoolkit
                                                                                       : here.pytorch_cuda;
    if (!other || own || conda_pin(recipe, "cuda-version")) return;
    const std::string selector =
        old ? "cudatoolkit" : SAY("pytorch-cuda={}", other->version ? other->version->release() : "11.8");
    add(findings, "CC614", Level::warning, *other,
        SAY("{} does not choose the CUDA of {}", text_of(*other), text_of(*torch)))
        .found(evidence_of(*torch))
        .expected("conda", selector, {})
        .because(old ? "before 1.13 the channel pytorch chooses the build by cudatoolkit; pytorch-cuda adds "
                       "another CUDA beside it"
                     : "since 1.13 the channel pytorch chooses the build by pytorch-cuda, and without it the "
                       "one for CPUs fits as well")
        .fix(old ? by_hand(SAY("name the CUDA of a build of {} with cudatoolkit", text_of(*torch)))
                 : Fix{FixKind::edit, selector});
}

// Its index has no such build, or not the newest.
bool judge_pin(const RecipeFacts& recipe, const RecipePin& pin, const Facts& facts, Findings& findings) {
    const bool local = pin.version && !pin.version->local().empty();
    // poetry and pdm search the same indexes, in another order.
    if (local) return pin.is_from_pypi() && judge_local(recipe, facts, pin, findings);
    if (!pin.by_pip() || pin.package != "torch" || is_met_before(recipe, pin)) return false;
    return pin.version ? judge_plain(recipe, facts, pin, findings)
                       : judge_floating(recipe, facts, pin, findings);
}

}  // namespace

PTXGUARD_RULE(CC614) {
    const RecipeFacts& recipe = scenario.recipe;
    // No index has CUDA for Macs.
    if (!is_recipe(scenario) || (recipe.platform && starts_with(*recipe.platform, "macOS"))) return;
    std::vector<int> said;  // groups: one index is missing for all pins of a command
    for (const RecipePin& pin : recipe.pins)
        if (!contains(said, pin.group) && judge_pin(recipe, pin, facts, findings)) said.push_back(pin.group);
    for (const RecipeIndex& index : recipe.indexes) judge_page(index, facts, findings);
    judge_ignored(scenario, said, findings);
    judge_ignored_source(scenario, findings);
    judge_jax(recipe, facts, findings);
    judge_selector(recipe, findings);
    judge_unlisted(recipe, facts, findings);
    for (const Companion* row : companions_of(facts, "torch"))
        if (!row->wheels.empty() && row->wheels.back().cuda)
            for (const RecipePin& pin : recipe.pins) judge_channel(recipe, pin, *row, findings);
    judge_replaced_build(recipe, facts, findings);
    judge_brought(recipe, facts, findings);
}

}  // namespace ptxguard
