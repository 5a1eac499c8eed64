// SPDX-License-Identifier: Apache-2.0
#include "judge/rules/CC612_companions_mismatch/parts.hpp"

#include <algorithm>

#include "facts/libraries.hpp"
#include "facts/pypi.hpp"
#include "facts/recipe_tables.hpp"
#include "judge/recipe_questions.hpp"
#include "model/ranges.hpp"
#include "python/specifier.hpp"

namespace ptxguard {
namespace {

bool is_about(const Finding& finding, const Origin& place) {
    return any_of(finding.found, [&](const Evidence& one) { return one.origin.is_at(place); });
}

// Extras or groups of a project that its [tool.uv] conflicts exclude together.
void say_excluded(const RefusedPin& one, Findings& findings) {
    const bool by_default = !one.wanted.empty();
    Finding& finding = add(findings, "CC612", one.origin.overridable ? Level::warning : Level::error,
                           one.by + ", " + one.pinned,
                           one.by + (by_default ? ", which uv installs by default," : "") + " and " +
                               one.pinned + " exclude each other, and both are requested");
    finding.found = {{"command", one.by + ", " + one.pinned, one.origin},
                     {"conflicts", one.by, one.by_origin}};
    finding.because = "[tool.uv] conflicts lists them: uv ends with an error and installs nothing";
    finding.fix = {
        {by_default ? FixKind::edit : FixKind::manual, by_default ? one.wanted : "request only one of them"}};
}

// Two pins of one command, one of which requires another release of the other: pip finds no set.
void judge_refused(const Scenario& scenario, Findings& findings) {
    for (const RefusedPin& one : scenario.recipe.refused) {
        // JAX compares its packages itself.
        if (one.why == Refusal::parts) say_excluded(one, findings);
        if (one.why != Refusal::no_set || one.package == "jax" || is_said(findings, one.origin)) continue;
        const bool twice = one.wanted.empty();
        const std::string who =
            one.required_by.empty() ? one.pinned : one.required_by + " brings " + one.pinned + ", which";
        Finding& finding =
            add_no_set(scenario.recipe, one.pinned,
                       twice ? one.by + " and " + one.pinned + " are requested together"
                             : who + (one.wanted == one.pinned ? "" : " requires " + one.wanted) + ", and " +
                                   one.by + " is pinned beside it",
                       findings);
        finding.found = {{"pip", one.pinned, one.origin}, {"pip", one.by, one.by_origin}};
        finding.package = one.package;
        if (twice) {
            finding.expected = {{one.package, "one version", {}}};
            finding.fix = {{FixKind::manual, "delete one of the two lines"}};
            continue;
        }
        finding.expected = {{one.package, one.wanted, one.wanted_origin}};
        finding.fix = {{FixKind::edit, one.wanted}};
    }
}

std::string words_of(const Installed& one) {
    if (!one.version) return "NVIDIA's own PyTorch";
    return one.package + " " + one.version->without_local() + (one.build.empty() ? "" : "+" + one.build);
}

// The release of torch for which the package is built, if it is another one.
std::optional<Version> other_torch(const Facts& facts, const Installed& one, const Version& torch) {
    if (one.version->local().rfind("rocm", 0) == 0) return std::nullopt;  // its torch is ROCm's
    const Requirement* required = requirement_on(facts, one.package, *one.version, "torch");
    const auto exact = required ? exact_version(required->specifier) : std::nullopt;
    if (exact) return same_release(*exact, torch) ? std::nullopt : exact;
    const Companion* companion = companion_of(facts, "torch", one.package);
    if (!companion) return std::nullopt;
    // --no-deps: nothing else installs a companion that requires a newer torch.
    if (required && !accepts(required->specifier, torch))
        if (const auto lowest = lower_bound(required->specifier); lowest && torch < *lowest) return lowest;
    return companion->needs_other(*one.version, torch);
}

// What a package that was installed for one release of torch finds at the end, where no pin decides one of
// the two: the newest release is taken, which is another one on another day.
void judge_newest(const Scenario& scenario, const Facts& facts, Findings& findings) {
    const RecipeFacts& recipe = scenario.recipe;
    const auto torch = std::find_if(recipe.installed.begin(), recipe.installed.end(),
                                    [](const Installed& one) { return one.package == "torch"; });
    // An image of another vendor has a torch whose release is not known, and which PyPI's does not replace.
    if (torch == recipe.installed.end() || (recipe.vendor && torch->newest)) return;
    for (const Installed& one : recipe.installed) {
        if ((!one.newest && !torch->newest) || is_said(findings, one.asked)) continue;
        const auto wanted = other_torch(facts, one, *torch->version);
        if (!wanted) continue;
        Finding& finding =
            add(findings, "CC612", Level::warning, one.package,
                one.package + " " + one.version->text + (one.newest ? " (the newest)" : "") +
                    " is built for torch " + wanted->text + ", and " + words_of(*torch) + " is installed");
        finding.found = {{"package", one.package, one.asked}, {"torch", words_of(*torch), torch->asked}};
        finding.expected = {{"torch", wanted->text, one.version.origin}};
        finding.because = "extensions of PyTorch work with the minor release for which they are built";
        finding.package = one.package;
        finding.fix = {{FixKind::manual, "pin the release of " + one.package + " for torch " +
                                             torch->version->without_local()}};
    }
}

bool fits(const Companion& companion, const Installed& installed, const Version& torch) {
    const Version& one = *installed.cuda;
    const bool both_minor = one.numbers.size() > 1 && torch.numbers.size() > 1;
    return companion.compares_minor(installed.version) && both_minor ? same_release(one, torch)
                                                                     : !differs_in_names(one, torch);
}

// torch of one index, and torchaudio of another one or of PyPI, which has builds for one CUDA only.
void judge_other_builds(const Scenario& scenario, const Facts& facts, Findings& findings) {
    const RecipeFacts& recipe = scenario.recipe;
    const auto torch = std::find_if(recipe.installed.begin(), recipe.installed.end(),
                                    [](const Installed& one) { return one.package == "torch"; });
    // The tables have the CUDA of PyPI's builds for Linux on x86-64.
    if (torch == recipe.installed.end() || recipe.platform || scenario.system != System::linux_) return;
    const bool for_cpus = torch->build == "cpu";
    if (!torch->cuda && !for_cpus) return;
    for (const Installed& one : recipe.installed) {
        const Companion* companion = companion_of(facts, "torch", one.package);
        if (!companion || !one.cuda || one.build == torch->build || is_said(findings, one.asked)) continue;
        if (!for_cpus && fits(*companion, one, *torch->cuda)) continue;
        const std::string named = words_of(one) + (one.newest ? " (the newest)" : "");
        Finding& finding =
            add(findings, "CC612", Level::warning, one.package,
                named + " is built for CUDA " + one.cuda->release() + ", and " + words_of(*torch) +
                    (for_cpus ? " without it" : " for CUDA " + torch->cuda->release()));
        finding.found = {{"package", named, one.asked}, {"torch", words_of(*torch), torch->asked}};
        finding.expected = {for_cpus ? Evidence{"build", torch->build, torch->asked}
                                     : Evidence{"CUDA", torch->cuda->release(), torch->cuda.origin}};
        finding.because = companion->effect;
        finding.package = one.package;
        finding.fix = {{FixKind::manual,
                        "install both in one command, from one index" +
                            (torch->build.empty() ? "" : ": --index-url " + index_of_build(torch->build))}};
    }
}

// An earlier command removes what NVIDIA has compiled for its PyTorch: the change is meant.
bool is_prepared(const RecipeFacts& recipe, const Replaced& one) {
    static const char* const k_compiled[] = {"flash-attn", "transformer-engine", "apex"};
    return any_of(recipe.removed, [&](const RecipePin& removed) {
        return contains(k_compiled, removed.package) && removed.group < one.after.group;
    });
}

// A later command requires a release that the torch before it is not, or pins a package that this torch
// excludes.
void say_excluded(const RecipeFacts& recipe, const Replaced& one, Findings& findings) {
    const Installed &before = one.before, &after = one.after;
    const std::string here = before.of_image ? " of " + name_of(recipe.image) : "";
    const bool by_pin = !one.wanted.empty();
    const std::string cause = by_pin ? one.pinned : after.required_by;
    if (is_said(findings, after.asked) || (!by_pin && is_prepared(recipe, one))) return;
    Finding& finding =
        add(findings, "CC612", Level::warning, cause,
            cause + " replaces " + words_of(before) + here + " by torch " + after.version->text +
                (after.cuda ? ", for CUDA " + after.cuda->release() : ""));
    finding.found = {{"pip", cause, by_pin ? one.pinned_at : after.asked},
                     {before.of_image ? "image" : "pip", words_of(before), before.asked}};
    if (by_pin) {
        finding.found.push_back({"package", after.required_by, after.asked});
        finding.expected = {{"pin", one.wanted, before.version.origin}};
        finding.because = words_of(before) + " requires " + one.wanted + ", and " + after.required_by +
                          " of the same command requires torch: pip takes another one";
        finding.fix = {{FixKind::edit, one.wanted}};
    } else {
        finding.expected = {{"torch", "that of the image", before.asked}};
        finding.because =
            "NVIDIA's build is a pre-release, which an exact requirement does not accept; what the "
            "image has compiled for it stays";
        finding.fix = {
            {FixKind::manual, "start from an image without PyTorch, or install it with --no-deps"}};
    }
}

// The commands behind it install again what was there.
bool is_restored(const RecipeFacts& recipe, const Replaced& one) {
    return one.before.version && any_of(recipe.installed, [&](const Installed& last) {
               return last.package == one.before.package && last.build == one.before.build &&
                      last.group > one.after.group && last.version &&
                      last.version->without_local() == one.before.version->without_local();
           });
}

// A package of a later command brings another torch or TensorFlow than an earlier one, or than the
// image, has chosen.
void judge_brought(const Scenario& scenario, Findings& findings) {
    for (const Replaced& one : scenario.recipe.replaced) {
        const Installed &before = one.before, &after = one.after;
        if ((before.package != "torch" && before.package != "tensorflow") || after.required_by.empty() ||
            is_restored(scenario.recipe, one))
            continue;
        if (!before.version || !one.wanted.empty()) {
            if (before.package == "torch") say_excluded(scenario.recipe, one, findings);
            continue;
        }
        const std::string by = with_newest(scenario.recipe, after.required_by);
        if (!after.newest || before.newest || same_release(*before.version, *after.version)) continue;
        // CC614 reports the index that has no effect then.
        if (is_said(findings, after.asked) || index_replaced(scenario.recipe, one)) continue;
        const bool other_cuda = before.cuda && after.cuda && !same_release(*before.cuda, *after.cuda);
        Finding& finding =
            add(findings, "CC612", Level::warning, after.required_by,
                by + " replaces " + words_of(before) + " by " + after.package + " " + after.version->text +
                    (other_cuda ? ", for CUDA " + after.cuda->release() : ""));
        finding.found = {{"package", after.required_by, after.asked},
                         {before.of_image ? "image" : "pip", words_of(before), before.asked}};
        finding.expected = {{before.package, before.version->text, before.version.origin}};
        finding.because =
            by == after.required_by
                ? "pip takes the newest release that the package accepts"
                : "a package without a version is taken in its newest release, with what it requires";
        finding.fix = {{FixKind::manual, "pin the release of that package that requires " + before.package +
                                             " " + before.version->without_local()}};
    }
}

// triton belongs to one release of torch, and torch compares nothing when it is imported. NVIDIA's libraries
// of one major are exchangeable by their names, so another release of them is no more than a note.
void judge_broken(const Scenario& scenario, Findings& findings) {
    for (const BrokenPin& one : scenario.recipe.broken) {
        const Installed& other = one.other;
        const auto wanted = exact_version(one.wanted.substr(other.package.size()));
        const bool library = other.package.rfind("nvidia-", 0) == 0;
        if (!wanted || is_said(findings, other.asked)) continue;
        const bool other_major = wanted->major() != other.version->major();
        Finding& finding =
            add(findings, "CC612", library && !other_major ? Level::note : Level::warning, other.package,
                other.package + " " + other.version->text + " replaces the one that " +
                    words_of(one.package) + " requires, " + one.wanted);
        finding.found = {{"pip", other.package + " " + other.version->text, other.asked},
                         {one.package.of_image ? "image" : "pip", words_of(one.package), one.package.asked}};
        finding.expected = {{one.package.package, one.wanted, one.row}};
        finding.because =
            "pip does not check the packages that are already installed; it prints 'which is "
            "incompatible' and goes on";
        finding.package = other.package;
        finding.fix = {{FixKind::edit, one.wanted}};
    }
}

// "torch>=2.4": the range that excludes what was there; empty = --upgrade does not ask for one.
std::string range_at(const RecipeFacts& recipe, const Installed& after) {
    for (const RecipePin& pin : recipe.pins)
        if (pin.package == after.package && pin.group == after.group && !pin.upgrade &&
            !pin.specifier.empty())
            return text_of(pin);
    return "";
}

// `pip install --force-reinstall torch` after a pinned one, or -U over that of the image.
void judge_reinstalled(const Scenario& scenario, Findings& findings) {
    for (const Replaced& one : scenario.recipe.replaced) {
        const Installed &before = one.before, &after = one.after;
        if (!after.required_by.empty() || !after.newest || before.newest) continue;
        if (before.package != "torch" || is_said(findings, after.asked) || is_restored(scenario.recipe, one))
            continue;
        const bool other_cuda = before.cuda && after.cuda && !same_release(*before.cuda, *after.cuda);
        if (before.version && before.of_image && !other_cuda) continue;
        const std::string range = range_at(scenario.recipe, after);
        const std::string what =
            range.empty() ? after.package + " without a version, but with --upgrade or a reinstallation,"
                          : range;
        Finding& finding =
            add(findings, "CC612", Level::warning, after.package,
                what + " replaces " + std::string(before.of_image ? "the image's " : "the pinned ") +
                    words_of(before) + " by the newest, " + after.version->text +
                    (other_cuda ? ", for CUDA " + after.cuda->release() : ""));
        finding.found = {{"pip", after.package, after.asked},
                         {before.of_image ? "image" : "pip", words_of(before), before.asked}};
        finding.expected = {
            {after.package, before.version ? before.version->text : words_of(before), before.asked}};
        finding.because =
            before.of_image
                ? "what the image has compiled for its torch, and its nvcc, stay those of its CUDA"
                : "the command does not know the pin of an earlier one, and takes the newest release";
        finding.fix = {{FixKind::edit, before.version ? after.package + "==" + before.version->without_local()
                                                      : after.package + " without --upgrade"}};
    }
}

// torch==2.1.0 of .../whl/cu118, and then torch==2.2.0 without an index: PyPI's build is for another CUDA.
void judge_repinned(const Scenario& scenario, Findings& findings) {
    for (const Replaced& one : scenario.recipe.replaced) {
        const Installed &before = one.before, &after = one.after;
        if (before.package != "torch" || !after.required_by.empty() || after.newest || before.of_image)
            continue;
        if (before.asked.overridable || after.asked.overridable || is_said(findings, after.asked)) continue;
        if (!cuda_of_tag(before.build) || !after.build.empty() || !after.cuda ||
            same_release(*before.cuda, *after.cuda))
            continue;
        const std::string named = "torch==" + after.version->text;
        Finding& finding = add(
            findings, "CC612", Level::warning, named,
            named + " replaces " + words_of(before) + " by PyPI's build, for CUDA " + after.cuda->release());
        finding.found = {{"pip", named, after.asked}, {"pip", words_of(before), before.asked}};
        finding.expected = {{"build", before.build, before.asked}};
        finding.because = "the index of an earlier command does not count in a later one";
        finding.package = "torch";
        finding.fix = {{FixKind::manual, "pin torch once, or name the index in both commands"}};
    }
}

// flash-attn, and then another torch: what was built for the first one stays.
void judge_outdated(const Scenario& scenario, const Facts& facts, Findings& findings) {
    for (const Replaced& one : scenario.recipe.replaced) {
        const Installed &before = one.before, &after = one.after;
        // CC611 reports one that floats.
        if (before.package != "torch" || before.newest ||
            (before.version && same_release(*before.version, *after.version)))
            continue;
        for (const Installed& other : scenario.recipe.installed) {
            const DeviceSources* row = recipe_tables(facts).device_source(other.package);
            const bool between = other.group < after.group && (before.of_image || other.group > before.group);
            if (!row || !row->imports_torch || other.of_image || !between || is_said(findings, other.asked))
                continue;
            const std::string by = after.required_by.empty() ? "" : after.required_by + " replaces it by ";
            Finding& finding = add(findings, "CC612", Level::warning, other.package,
                                   other.package + " " + other.version->text + " is built for " +
                                       words_of(before) + ", and " + by + "torch " + after.version->text +
                                       (by.empty() ? " is installed after it" : ""));
            finding.found = {{"package", other.package + " " + other.version->text, other.asked},
                             {before.of_image ? "image" : "pip", words_of(before), before.asked},
                             {"torch", after.version->text, after.asked}};
            finding.expected = {{"order", "torch " + after.version->text + " before " + other.package, {}}};
            finding.because = "extensions of PyTorch work with the minor release for which they are built";
            finding.package = other.package;
            finding.fix = {{FixKind::manual, "install " + other.package + " after that"}};
        }
    }
}

}  // namespace

std::optional<Version> lower_bound(const std::string& range) {
    for (const Clause& one : clauses_of(range))
        if (one.op == ">=" || one.op == "==" || one.op == "~=") return parse_version(one.version);
    return std::nullopt;
}

bool is_said(const Findings& findings, const Origin& place) {
    return any_of(findings, [&](const Finding& finding) { return is_about(finding, place); });
}

void judge_resolution(const Scenario& scenario, const Facts& facts, Findings& findings) {
    judge_refused(scenario, findings);
    judge_newest(scenario, facts, findings);
    judge_other_builds(scenario, facts, findings);
    judge_outdated(scenario, facts, findings);
    judge_brought(scenario, findings);
    judge_broken(scenario, findings);
    judge_reinstalled(scenario, findings);
    judge_repinned(scenario, findings);
}

}  // namespace ptxguard
