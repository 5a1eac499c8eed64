// SPDX-License-Identifier: Apache-2.0
#include "judge/companion_fixes.hpp"
#include "judge/rules/CC612_companions_mismatch/parts.hpp"

#include "facts/libraries.hpp"
#include "facts/pypi.hpp"
#include "facts/recipe_tables.hpp"
#include "judge/package_conflicts.hpp"
#include "judge/recipe_questions.hpp"
#include "judge/replaced_questions.hpp"
#include "model/ranges.hpp"
#include "python/specifier.hpp"

namespace ptxguard {
namespace {

bool is_about(const Finding& finding, const Origin& place) {
    return any_of(finding.found, [&](const Evidence& one) { return one.origin.is_at(place); });
}

// Extras or groups of a project that its [tool.uv] conflicts exclude together.
void say_parts(const RefusedPin& one, Findings& findings) {
    const bool by_default = !one.wanted.empty();
    const std::string both = SAY("{}, {}", one.by, one.pinned);
    add(findings, "CC612", one.origin.overridable ? Level::warning : Level::error, both,
        by_default
            ? SAY("{}, which uv installs by default, and {} exclude each other, and both are requested",
                  one.by, one.pinned)
            : SAY("{} and {} exclude each other, and both are requested", one.by, one.pinned))
        .found("command", both, one.origin)
        .found("conflicts", one.by, one.by_origin)
        .because("[tool.uv] conflicts lists them: uv ends with an error and installs nothing")
        .fix(by_default ? Fix{FixKind::edit, one.wanted} : by_hand("request only one of them"));
}

// "vllm 0.9.1 requires torch==2.7.0"
std::string requirement_of(const RefusedPin& one) {
    if (one.required_by.empty())
        return one.wanted == one.pinned ? one.pinned : SAY("{} requires {}", one.pinned, one.wanted);
    return one.wanted == one.pinned
               ? SAY("{} brings {}, which", one.required_by, one.pinned)
               : SAY("{} brings {}, which requires {}", one.required_by, one.pinned, one.wanted);
}

// Two pins of one command, one of which requires another release of the other: pip finds no set.
void judge_refused(const Scenario& scenario, Findings& findings) {
    for (const RefusedPin& one : scenario.recipe.refused) {
        // JAX compares its packages itself.
        if (one.why == Refusal::parts) say_parts(one, findings);
        if (one.why != Refusal::no_set || one.package == "jax" || is_said(findings, one.origin)) continue;
        const bool twice = one.wanted.empty();
        add_no_set(scenario.recipe, one.pinned,
                   twice ? SAY("{} and {} are requested together", one.by, one.pinned)
                         : SAY("{}, and {} is pinned beside it", requirement_of(one), one.by),
                   findings)
            .of_package(one.package)
            .found("pip", one.pinned, one.origin)
            .found("pip", one.by, one.by_origin)
            .expected(one.package, twice ? "one version" : one.wanted, one.wanted_origin)
            .fix(twice ? by_hand("delete one of the two lines") : Fix{FixKind::edit, one.wanted});
    }
}

std::string words_of(const Installed& one) {
    if (!one.version) return "NVIDIA's own PyTorch";
    const std::string release = SAY("{} {}", one.package, one.version->without_local());
    return one.build.empty() ? release : SAY("{}+{}", release, one.build);
}

Evidence evidence_of(const Installed& one) {
    return {one.of_image ? "image" : "pip", words_of(one), one.asked};
}

bool changes_cuda(const Replaced& one) {
    const Known<Version>&before = one.before.cuda, &after = one.after.cuda;
    return before && after && !same_release(*before, *after);
}

// "2.9.1, for CUDA 12.8", where that is another CUDA than before.
std::string release_after(const Replaced& one) {
    const Installed& after = one.after;
    return changes_cuda(one) ? SAY("{}, for CUDA {}", after.version->text, after.cuda->release())
                             : after.version->text;
}

const Installed* torch_of(const RecipeFacts& recipe) {
    return first_where(recipe.installed, [](const Installed& one) { return one.package == "torch"; });
}

// A page with wheels for one release of torch (DGL's) may have a newer release than PyPI: what the page is
// for is compared by itself.
bool has_own_page(const RecipeFacts& recipe, const Installed& one, const RecipeTables& tables) {
    return !tables.is_built_by_pytorch(one.package) && any_of(recipe.indexes, [&](const RecipeIndex& index) {
        return index.group == one.group && torch_of_page(index.url);
    });
}

// What a package that was installed for one release of torch finds at the end, where no pin decides one of
// the two: the newest release is taken, which is another one on another day.
void judge_newest(const RecipeFacts& recipe, const Facts& facts, Findings& findings) {
    const Installed* torch = torch_of(recipe);
    // An image of another vendor has a torch whose release is not known, and which PyPI's does not replace.
    if (!torch || (recipe.vendor && torch->newest)) return;
    for (const Installed& one : recipe.installed) {
        if ((!one.newest && !torch->newest) || is_said(findings, one.asked)) continue;
        if (has_own_page(recipe, one, recipe_tables(facts))) continue;
        const auto wanted = other_torch(facts, one, *torch->version);
        if (!wanted || cause_of(recipe, one, facts)) continue;
        const std::string named = SAY("{} {}", one.package, one.version->text);
        // A list that does not name torch is for an environment that may have one.
        const bool unnamed = recipe.kind == "requirements file" && !torch->required_by.empty();
        add(findings, "CC612", unnamed ? Level::note : Level::warning, one.package,
            SAY("{} is built for torch {}, and {} is installed",
                one.newest ? SAY("{} (the newest)", named) : named, wanted->text, words_of(*torch)))
            .of_package(one.package)
            .found("package", one.package, one.asked)
            .found("torch", words_of(*torch), torch->asked)
            .expected("torch", wanted->text, one.version.origin)
            .because(k_minor_release)
            .by_hand(SAY("pin the release of {} for torch {}", one.package, torch->version->without_local()));
    }
}

bool fits(const Companion& companion, const Installed& installed, const Installed& torch) {
    if (!torch.cuda) return false;
    const Version &one = *installed.cuda, &other = *torch.cuda;
    const bool both_minor = one.numbers.size() > 1 && other.numbers.size() > 1;
    return companion.compares_minor(installed.version) && both_minor ? same_release(one, other)
                                                                     : !differs_in_names(one, other);
}

// Of the package beside the torch of a build for CPUs, or for another CUDA.
Composed add_other_build(const Installed& one, const Installed& torch, Findings& findings) {
    const std::string named = one.newest ? SAY("{} (the newest)", words_of(one)) : words_of(one);
    if (torch.build == "cpu")
        return add(findings, "CC612", Level::warning, one.package,
                   SAY("{} is built for CUDA {}, and {} without it", named, one.cuda->release(),
                       words_of(torch)))
            .found("package", named, one.asked)
            .expected("build", torch.build, torch.asked);
    return add(findings, "CC612", Level::warning, one.package,
               SAY("{} is built for CUDA {}, and {} for CUDA {}", named, one.cuda->release(), words_of(torch),
                   torch.cuda->release()))
        .found("package", named, one.asked)
        .expected("CUDA", torch.cuda->release(), torch.cuda.origin);
}

// torch==2.11.0+cu128, which no index that is known has, and torchvision beside it: the index that has the
// one has the other, too. CC614 asks for it.
bool is_of_unknown_index(const RecipeFacts& recipe, const Installed& one, const Installed& torch) {
    if (!one.build.empty() || one.group != torch.group || torch.build.empty()) return false;
    return none_of(recipe.indexes, [&](const RecipeIndex& index) {
        return index.group == torch.group && (index.build == torch.build || !index.is_pypi());
    });
}

// torch of one index, and torchaudio of another one or of PyPI, which has builds for one CUDA only.
void judge_other_builds(const Scenario& scenario, const Facts& facts, Findings& findings) {
    const RecipeFacts& recipe = scenario.recipe;
    const Installed* torch = torch_of(recipe);
    // The tables have the CUDA of PyPI's builds for Linux on x86-64.
    if (!torch || recipe.platform || scenario.system != System::linux_) return;
    if (!torch->cuda && torch->build != "cpu") return;
    // At the text of a package, it itself before what it brings.
    for (const bool requested : {true, false})
        for (const Installed& one : recipe.installed) {
            const Companion* companion = companion_of(facts, "torch", one.package);
            if (!companion || !one.cuda || one.build == torch->build ||
                one.required_by.empty() != requested || is_said(findings, one.asked) ||
                fits(*companion, one, *torch) || cause_of(recipe, one, facts) ||
                is_of_unknown_index(recipe, one, *torch))
                continue;
            const Installed chosen = torch_of_branch(*torch, one);
            add_other_build(one, chosen, findings)
                .of_package(one.package)
                .found("torch", words_of(chosen), chosen.asked)
                .because(companion->effect)
                .fix(!companion->builds.empty() && torch->cuda
                         ? build_for(*companion, *torch->version, torch->cuda)
                     : torch->build.empty()
                         ? by_hand("install both in one command, from one index")
                         : by_hand(SAY("install both in one command, from one index: --index-url {}",
                                       index_of_build(torch->build))));
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
    const bool by_pin = !one.wanted.empty();
    const std::string cause = by_pin ? one.pinned : after.required_by;
    if (is_said(findings, after.asked) || (!by_pin && is_prepared(recipe, one))) return;
    const std::string here =
        before.of_image ? SAY("{} of {}", words_of(before), name_of(recipe.image)) : words_of(before);
    const Composed finding =
        add(findings, "CC612", Level::warning, cause,
            after.cuda ? SAY("{} replaces {} by torch {}, for CUDA {}", cause, here, after.version->text,
                             after.cuda->release())
                       : SAY("{} replaces {} by torch {}", cause, here, after.version->text))
            .found("pip", cause, by_pin ? one.pinned_at : after.asked)
            .found(evidence_of(before));
    if (by_pin)
        finding.found("package", after.required_by, after.asked)
            .expected("pin", one.wanted, before.version.origin)
            .because(SAY("{} requires {}, and {} of the same command requires torch: pip takes another one",
                         words_of(before), one.wanted, after.required_by))
            .edit(one.wanted);
    else
        finding.expected("torch", "that of the image", before.asked)
            .because(
                "NVIDIA's build is a pre-release, which an exact requirement does not accept; what the image "
                "has compiled for it stays")
            .by_hand("start from an image without PyTorch, or install it with --no-deps");
}

// A newer torch than a pin has chosen, without a finding that says so. CC614 reports the index that has no
// effect then.
bool is_unsaid(const RecipeFacts& recipe, const Replaced& one, const Findings& findings) {
    return one.after.newest && !one.before.newest && !same_release(*one.before.version, *one.after.version) &&
           !is_said(findings, one.after.asked) && !index_replaced(recipe, one);
}

// A package of a later command brings another torch or TensorFlow than an earlier one, or than the
// image, has chosen.
void judge_brought(const RecipeFacts& recipe, const Replaced& one, const Facts& facts, Findings& findings) {
    const Installed &before = one.before, &after = one.after;
    const bool torch = before.package == "torch";
    if ((!torch && before.package != "tensorflow") || after.required_by.empty() || is_restored(recipe, one))
        return;
    if (!before.version || !one.wanted.empty()) {
        if (torch) say_excluded(recipe, one, findings);
        return;
    }
    if (!is_unsaid(recipe, one, findings)) return;
    const std::string by = with_newest(recipe, after.required_by);
    const Composed finding =
        add(findings, "CC612", Level::warning, after.required_by,
            SAY("{} replaces {} by {} {}", by, words_of(before), after.package, release_after(one)))
            .found("package", after.required_by, after.asked)
            .found(evidence_of(before))
            .expected(before.package, before.version->text, before.version.origin)
            .because(
                by == after.required_by
                    ? "pip takes the newest release that the package accepts"
                    : "a package without a version is taken in its newest release, with what it requires")
            .by_hand(SAY("pin the release of that package that requires {} {}", before.package,
                         before.version->without_local()));
    for (const Evidence& package : left_behind(recipe, one, facts)) finding.found(package);
}

// triton belongs to one release of torch, and torch compares nothing when it is imported. NVIDIA's libraries
// of one major are exchangeable by their names, so another release of them is no more than a note.
void judge_broken(const RecipeFacts& recipe, Findings& findings) {
    for (const BrokenPin& one : recipe.broken) {
        const Installed& other = one.other;
        const auto wanted = exact_version(one.wanted.substr(other.package.size()));
        if (!wanted || is_said(findings, other.asked)) continue;
        const bool same_names =
            starts_with(other.package, "nvidia-") && wanted->major() == other.version->major();
        const std::string named = SAY("{} {}", other.package, other.version->text);
        add(findings, "CC612", same_names ? Level::note : Level::warning, other.package,
            SAY("{} replaces the one that {} requires, {}", named, words_of(one.package), one.wanted))
            .of_package(other.package)
            .found("pip", named, other.asked)
            .found(evidence_of(one.package))
            .expected(one.package.package, one.wanted, one.row)
            .because(
                "pip does not check the packages that are already installed; it prints 'which is "
                "incompatible' and goes on")
            .edit(one.wanted);
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
void judge_reinstalled(const RecipeFacts& recipe, const Replaced& one, Findings& findings) {
    const Installed &before = one.before, &after = one.after;
    if (before.package != "torch" || before.newest || !after.newest || !after.required_by.empty() ||
        is_said(findings, after.asked) || is_restored(recipe, one))
        return;
    // They may be in two branches of one condition.
    if (before.asked.overridable && after.asked.overridable) return;
    const std::string release = release_after(one), range = range_at(recipe, after);
    if (before.version && before.of_image && !changes_cuda(one)) return;
    const std::string what =
        range.empty() ? SAY("{} without a version, but with --upgrade or a reinstallation,", after.package)
                      : range;
    add(findings, "CC612", Level::warning, after.package,
        before.of_image ? SAY("{} replaces the image's {} by the newest, {}", what, words_of(before), release)
                        : SAY("{} replaces the pinned {} by the newest, {}", what, words_of(before), release))
        .found("pip", after.package, after.asked)
        .found(evidence_of(before))
        .expected(after.package, before.version ? before.version->text : words_of(before), before.asked)
        .because(before.of_image
                     ? "what the image has compiled for its torch, and its nvcc, stay those of its CUDA"
                     : "the command does not know the pin of an earlier one, and takes the newest release")
        .edit(before.version ? SAY("{}=={}", after.package, before.version->without_local())
                             : SAY("{} without --upgrade", after.package));
}

// torch==2.1.0 of .../whl/cu118, and then torch==2.2.0 without an index: PyPI's build is for another CUDA.
void judge_repinned(const Replaced& one, Findings& findings) {
    const Installed &before = one.before, &after = one.after;
    if (before.package != "torch" || !after.required_by.empty() || after.newest || before.of_image) return;
    if (before.asked.overridable || after.asked.overridable || is_said(findings, after.asked)) return;
    if (!cuda_of_tag(before.build) || !after.build.empty() || !after.cuda ||
        same_release(*before.cuda, *after.cuda))
        return;
    const std::string named = SAY("torch=={}", after.version->text);
    add(findings, "CC612", Level::warning, named,
        SAY("{} replaces {} by PyPI's build, for CUDA {}", named, words_of(before), after.cuda->release()))
        .of_package("torch")
        .found("pip", named, after.asked)
        .found("pip", words_of(before), before.asked)
        .expected("build", before.build, before.asked)
        .because("the index of an earlier command does not count in a later one")
        .by_hand("pin torch once, or name the index in both commands");
}

// It was compiled for the torch before, and stays.
bool is_compiled_for(const Replaced& one, const Installed& other, const Facts& facts) {
    const DeviceSources* row = recipe_tables(facts).device_source(other.package);
    return row && row->imports_torch && !other.of_image && other.group < one.after.group &&
           (one.before.of_image || other.group > one.before.group);
}

// flash-attn, and then another torch: what was built for the first one stays.
void judge_outdated(const RecipeFacts& recipe, const Replaced& one, const Facts& facts, Findings& findings) {
    const Installed &before = one.before, &after = one.after;
    // CC611 reports one that floats.
    if (before.package != "torch" || before.newest ||
        (before.version && same_release(*before.version, *after.version)))
        return;
    for (const Installed& other : recipe.installed) {
        if (!is_compiled_for(one, other, facts) || is_said(findings, other.asked)) continue;
        const std::string named = SAY("{} {}", other.package, other.version->text), now = after.version->text;
        add(findings, "CC612", Level::warning, other.package,
            after.required_by.empty()
                ? SAY("{} is built for {}, and torch {} is installed after it", named, words_of(before), now)
                : SAY("{} is built for {}, and {} replaces it by torch {}", named, words_of(before),
                      after.required_by, now))
            .of_package(other.package)
            .found("package", named, other.asked)
            .found(evidence_of(before))
            .found("torch", now, after.asked)
            .expected("order", SAY("torch {} before {}", now, other.package), {})
            .because(k_minor_release)
            .by_hand(SAY("install {} after that", other.package));
    }
}

}  // namespace

bool is_said(const Findings& findings, const Origin& place) {
    return any_of(findings, [&](const Finding& finding) { return is_about(finding, place); });
}

void judge_resolution(const Scenario& scenario, const Facts& facts, Findings& findings) {
    const RecipeFacts& recipe = scenario.recipe;
    judge_refused(scenario, findings);
    judge_newest(recipe, facts, findings);
    judge_other_builds(scenario, facts, findings);
    for (const Replaced& one : recipe.replaced) judge_outdated(recipe, one, facts, findings);
    for (const Replaced& one : recipe.replaced) judge_brought(recipe, one, facts, findings);
    judge_broken(recipe, findings);
    for (const Replaced& one : recipe.replaced) judge_reinstalled(recipe, one, findings);
    for (const Replaced& one : recipe.replaced) judge_repinned(one, findings);
}

}  // namespace ptxguard
