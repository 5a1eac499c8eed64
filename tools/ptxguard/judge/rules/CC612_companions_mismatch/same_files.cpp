// Packages of which each writes the files of the other: pip installs both, and the last one wins.
// SPDX-License-Identifier: Apache-2.0

#include <algorithm>

#include "facts/framework_traits.hpp"
#include "facts/libraries.hpp"
#include "facts/recipe_tables.hpp"
#include "judge/recipe_questions.hpp"
#include "judge/replaced_questions.hpp"
#include "judge/rules/CC612_companions_mismatch/parts.hpp"
#include "model/ranges.hpp"
#include "model/text.hpp"

namespace ptxguard {
namespace {

// What requires it is still there, in PyPI's own build: those of other indexes require other packages.
bool is_required_here(const RecipeFacts& recipe, const Installed& one) {
    return one.required_by.empty() || any_of(recipe.installed, [&](const Installed& by) {
               return one.required_by == SAY("{} {}", by.package, by.version->text) && by.build.empty();
           });
}

bool is_removed(const RecipeFacts& recipe, const std::string& package, int from, int to) {
    return any_of(recipe.removed, [&](const RecipePin& one) {
        return one.package == package && one.group > from && one.group <= to;
    });
}

// One of the packages of a module: a pin, or what a pinned package brings.
struct Member {
    std::string package, text, by;  // `by`: "cuml-cu12 26.10.0"
    std::string tool = "pip";
    int group = 0;
    Origin origin;
};

std::string words_of(const Member& one) {
    return one.by.empty() ? one.text : SAY("{}, which {} brings", one.text, one.by);
}

// The last one of each package, in the order of the commands.
std::vector<Member> members_here(const RecipeFacts& recipe, const SameFiles& family) {
    std::vector<Member> members;
    const auto add_member = [&](Member one) {
        erase_if(members, [&](const Member& other) { return other.package == one.package; });
        members.push_back(std::move(one));
    };
    for (const RecipePin& pin : recipe.pins)
        if (pin.is_from_pypi() && !pin.origin.overridable && pin.unreadable.empty() &&
            family.has(pin.package))
            add_member({pin.package, text_of(pin), "", pin.by, pin.group, pin.origin});
    const auto is_pinned = [&](const std::string& package) {
        return any_of(members, [&](const Member& one) { return one.package == package; });
    };
    for (const Installed& one : recipe.installed)
        if (!one.required_by.empty() && !one.asked.overridable && family.has(one.package) &&
            !is_pinned(one.package) && is_required_here(recipe, one))
            add_member({one.package, with_release(one.package, one.version), one.required_by, "pip",
                        one.group, one.asked});
    std::stable_sort(members.begin(), members.end(),
                     [](const Member& a, const Member& b) { return a.group < b.group; });
    return members;
}

// Of one command, pip installs what is required first. Where nothing reports it, a pin that comes later is
// what counts.
bool is_harmless(const SameFiles& family, const Member& first, const Member& last) {
    if (family.reports || (first.by.empty() && last.by.empty())) return false;
    return last.by.empty() || first.group == last.group;
}

void judge_family(const RecipeFacts& recipe, const SameFiles& family, Findings& findings) {
    const auto members = members_here(recipe, family);
    if (members.size() < 2) return;
    const Member &first = members[members.size() - 2], &last = members.back();
    if (is_removed(recipe, first.package, first.group, last.group) || is_harmless(family, first, last))
        return;
    const Member& subject = last.by.empty() ? last : first.by.empty() ? first : last;
    const Member& other = &subject == &last ? first : last;
    add(findings, "CC612", Level::warning, subject.text,
        SAY("{} writes the same files as {}", words_of(subject), words_of(other)))
        .of_package(subject.package)
        .found(subject.tool, subject.text, subject.origin)
        .found(other.tool, other.by.empty() ? other.text : other.by, other.origin)
        .expected(family.module, "one of them", family.origin)
        .because(SAY("both packages have the module {}: the one that is installed last overwrites the other, "
                     "and pip does not report it",
                     family.module))
        .by_hand(other.by.empty() ? SAY("remove {} or {}", other.package, subject.package)
                 : family.reports
                     ? SAY("remove {}: {} brings {}", subject.package, other.by, other.package)
                     : SAY("install {} last, with --force-reinstall --no-deps", subject.package));
}

// One library of two CUDA majors, in one folder of site-packages.
bool share_a_folder(const std::string& one, const std::string& other) {
    const auto is_numbered = [](const std::string& name) { return name.find("-cu1") != npos; };
    if (!is_numbered(one) || !is_numbered(other) || one == other) return false;
    const std::string component = nvidia_component(one);
    static const char* const k_own_folder[] = {"nccl", "cudnn", "nvshmem", "cusparselt"};
    return component == nvidia_component(other) && contains(k_own_folder, component);
}

// "xgboost 3.2.0 brings nvidia-nccl-cu12 2.31.2"
std::string brought(const Installed& one) {
    const std::string named = SAY("{} {}", one.package, one.version->text);
    return one.required_by.empty() ? SAY("the recipe installs {}", named)
                                   : SAY("{} brings {}", one.required_by, named);
}

// xgboost requires nvidia-nccl-cu12, and the newest torch nvidia-nccl-cu13.
void judge_brought_owners(const RecipeFacts& recipe, Findings& findings) {
    if (recipe.kind == "workflow" && !recipe.gpu) return;
    std::vector<const Installed*> all;
    for (const Installed& one : recipe.installed)
        if (!nvidia_component(one.package).empty()) all.push_back(&one);
    for (std::size_t i = 0; i < all.size(); ++i)
        for (std::size_t k = i + 1; k < all.size(); ++k) {
            const Installed &one = *all[i], &other = *all[k];
            if (!share_a_folder(one.package, other.package) ||
                one.version->major() != other.version->major() || !is_required_here(recipe, one) ||
                !is_required_here(recipe, other) || is_said(findings, one.asked) ||
                is_said(findings, other.asked))
                continue;
            add(findings, "CC612", Level::warning, one.package,
                SAY("{}, and {}, which writes the same files", brought(one), brought(other)))
                .of_package(one.package)
                .found("pip", one.package, one.asked)
                .found("pip", other.package, other.asked)
                .expected("packages", "for one CUDA", {})
                .because(k_one_folder)
                .by_hand("pin releases of both that are for the same CUDA");
        }
}

// torch+cu130 requires nvidia-nccl-cu13.
void judge_build_owners(const RecipeFacts& recipe, const Facts& facts, const Expectation& torch,
                        Findings& findings) {
    const std::string build = torch.version ? torch.version->local() : "";
    if (torch.framework != "PyTorch" || !torch.cuda || build.empty() || holds_libraries(facts, torch)) return;
    const std::string own = SAY("-cu{}", torch.cuda->major());
    for (const RecipePin& pin : recipe.pins) {
        const std::size_t at = pin.package.rfind("-cu1");
        if (!pin.is_from_pypi() || at == npos) continue;
        const std::string required = pin.package.substr(0, at) + own;
        const bool of_cudnn = nvidia_component(required) == "cudnn" && torch.cudnn;
        const std::string range = of_cudnn ? SAY("=={}", torch.cudnn->text) : "";
        if (!writes_the_same_files(pin, required, range) || torch.cuda->major() < 12) continue;
        if (is_said(findings, pin.origin)) continue;
        add(findings, "CC612", Level::error, pin,
            SAY("{} writes the same files as {}, which torch {} requires", text_of(pin), required,
                torch.version->text))
            .found("torch", torch.version->text, torch.version.origin)
            .expected("package", required, {})
            .because(k_one_folder)
            .by_hand(SAY("remove {}", pin.package));
    }
}

}  // namespace

bool writes_the_same_files(const RecipePin& pin, const std::string& other, const std::string& range) {
    if (!share_a_folder(pin.package, other)) return false;
    const auto of_pin = pin.version ? pin.version.value : lower_bound(pin.specifier);
    const auto of_other = lower_bound(range);
    return !of_pin || !of_other || of_pin->major() == of_other->major();  // libcudnn.so.8, .so.9
}

bool holds_libraries(const Facts& facts, const Expectation& build) {
    const auto& from = framework_traits(facts, build.framework).requires_libraries_from;
    return from && build.version && !build.version->local().empty() && *build.version < *from;
}

void judge_same_files(const Scenario& scenario, const Facts& facts, Findings& findings) {
    for (const SameFiles& family : recipe_tables(facts).same_files)
        judge_family(scenario.recipe, family, findings);
    for (const Expectation& one : scenario.expectations)
        judge_build_owners(scenario.recipe, facts, one, findings);
    judge_brought_owners(scenario.recipe, findings);
}

}  // namespace ptxguard
